"""Makes the Declaration's texts in python/fretsaw/app/declaration of the folder FRETSAW_DATA.

`text/udhr_all.txt.gz` there has 528 translations, an empty line between them; a language is
known by its place and by how it begins. Run: `python scripts/build_declaration.py`.
"""

import gzip
import json
import lzma
import os
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "python/fretsaw/app/declaration/texts.json.xz"
MAX_BYTES = 300_000

LANGUAGES = {
    "am": ("Amharic", 67, "ስለሰብአዊ፡መብቶች፡ለማስተ"),
    "ar": ("Arabic", 70, "الإعلان العالمي"),
    "bn": ("Bengali", 88, "মানবাধিকারের সার"),
    "my": ("Burmese", 330, "အပြည်ပြည်ဆိုင်ရာ"),
    "zh-Hans": ("Chinese (simplified)", 130, "世界人权宣言"),
    "nl": ("Dutch", 345, "UNIVERSELE VERKL"),
    "en": ("English", 165, "Universal Declar"),
    "fi": ("Finnish", 175, "Yhdistyneiden ka"),
    "fr": ("French", 179, "Déclaration univ"),
    "ka": ("Georgian", 251, "ადამიანთა უფლებე"),
    "de": ("German", 153, "Die Allgemeine E"),
    "el": ("Greek", 161, "ΟΙΚΟΥΜΕΝΙΚΗ ΔΙΑΚ"),
    "he": ("Hebrew", 213, "הכרזה לכל באי עו"),
    "hi": ("Hindi", 215, "मानव अधिकारों की"),
    "id": ("Indonesian", 239, "Pernyataan Umum"),
    "it": ("Italian", 241, "Il 10 dicembre"),
    "ja": ("Japanese", 245, "『世界人権宣言』"),
    "km": ("Khmer", 261, "សេចក្ដីប្រកាសជាស"),
    "ko": ("Korean", 273, "세 계 인 권 선 언"),
    "fa": ("Persian", 373, "اعلامیه جهانی حق"),
    "pl": ("Polish", 379, "POWSZECHNA DEKLA"),
    "pt": ("Portuguese", 382, "Declaração Unive"),
    "ru": ("Russian", 416, "Всеобщая деклара"),
    "es": ("Spanish", 438, "Declaración Univ"),
    "sw": ("Swahili", 450, "Katika Disemba 1"),
    "ta": ("Tamil", 452, "மனித உரிமைகள் பற"),
    "th": ("Thai", 462, "ปฏิญญาสากลว่าด้ว"),
    "tr": ("Turkish", 482, "İnsan hakları ev"),
    "uk": ("Ukrainian", 490, "ЗАГАЛЬНА ДЕКЛАРА"),
    "vi": ("Vietnamese", 502, "Tuyên ngôn toàn"),
}
"""Code -> English name, place among the translations, beginning."""


def main() -> int:
    """Packs the texts; 1 if a translation is not where it was or all are too large."""
    source = Path(os.environ["FRETSAW_DATA"], "text", "udhr_all.txt.gz")
    translations = gzip.decompress(source.read_bytes()).decode().split("\n\n")
    entries = []
    for code, (name, place, beginning) in LANGUAGES.items():
        text = translations[place].strip()
        if not text.startswith(beginning):
            print(f"{code}: translation {place} begins {text[:40]!r}", file=sys.stderr)
            return 1
        entries.append({"code": code, "name": name, "text": text})
    entries.sort(key=lambda entry: entry["name"])
    packed = lzma.compress(json.dumps(entries, ensure_ascii=False).encode(), preset=9)
    TARGET.write_bytes(packed)
    print(f"{len(entries)} languages, {len(packed):,} bytes")
    return int(len(packed) >= MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main())
