"""`fretsaw compile`."""

import json
import pathlib


def test_a_built_in_vocabulary(run, tmp_path: pathlib.Path):
    out = tmp_path / "gpt2.fret"
    done = run("compile", "gpt2", str(out))
    assert done.exit_code == 0
    assert f"{out.stat().st_size:,} bytes" in done.stdout
    done = run("encode", "--ids", "-t", str(out), "Hello world")
    assert done.stdout.split() == ["15496", "995"]


def test_json(run, tmp_path: pathlib.Path):
    out = tmp_path / "byte.fret"
    report = json.loads(run("compile", "byte", str(out), "--json").stdout)
    assert report["out"] == str(out)
    assert report["bytes"] == out.stat().st_size
    assert report["load_ms"] > 0


def test_bad_input(fails, tmp_path: pathlib.Path):
    assert "'no-such' is neither" in fails("compile", "no-such", "a.fret")
    assert "No such file" in fails("compile", "byte", str(tmp_path / "no" / "a.fret"))
