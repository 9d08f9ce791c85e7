"""Short texts written for the tests: sentences in many languages and code in many more.

Characters that can't be seen, and letters that must stay decomposed, are escapes.
"""

from __future__ import annotations

from typing import Final

SENTENCES: Final[tuple[str, ...]] = (
    "The tokenizer reads a line, splits it into pieces and gives every piece a number.",
    (
        "I'm sure they'll say it's what we've done, but you'd better check; don't trust "
        "THEY'RE or WE'LL."
    ),
    "“Don’t,” she said, ‘it’s the cat’s.’ — and that’s that…",
    "In 1998, 3,141 people paid $27.50 each (about 12.5%), i.e. €25–30.",
    "E-mail me at someone@example.org or see https://example.org/a/b?c=d&e=f#g.",
    "Der schnelle Fuchs überquert die Straße, während Öl und Äpfel teurer werden.",
    "L'été dernier, j'ai dû aller à Nîmes; qu'est-ce que c'était noël\u00a0!",
    "¿Qué año fue? ¡El pingüino comió mañana!",
    "A maçã não está na árvore; o coração é grande.",
    "Perché l'acqua è così fredda? Più tardi sarà calda.",
    "Zażółć gęślą jaźń i pójdź do domu.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Árvíztűrő tükörfúrógép, hűvös eső.",
    "Istanbul'da İyi günler, ışık ve çiçek; ağaç da var.",
    "Păsările zboară în țara lor, și e frumos.",
    "Særlig øl og rødgrød med fløde på Åland.",
    "Hyvää päivää, yöllä työ jää kesken.",
    "Þær eiga öll börnin sem læra íðan.",
    "Tiếng Việt có nhiều dấu: ổn, được, không, quỳnh.",
    "Tie\u0302\u0301ng Vie\u0323\u0302t vie\u0302\u0301t r\u01a1\u0300i.",
    "Съешь же ещё этих мягких булок, да выпей чаю.",
    "Ще не вмерла надія, їжак їсть ґруші.",
    "Γνῶθι σαυτόν· ο ήλιος δύει και ΟΔΟΣ.",
    "Բարև ձեզ, աշխարհ։",
    "გამარჯობა, მსოფლიო!",
    "שָׁלוֹם עולם, מה נשמע?",
    "مرحبا بالعالم، كَيْفَ الحال؟ ١٢٣",
    "سلام دنیا، می\u200cخواهم ۱۲۳ کتاب بخرم.",
    "ہیلو دنیا۔ کیا حال ہے؟",
    "नमस्ते दुनिया। क्या हाल हैं? १२३",
    "হ্যালো বিশ্ব, কেমন আছেন?",
    "வணக்கம் உலகமே!",
    "హలో ప్రపంచం, బాగున్నారా?",
    "ಹಲೋ ಪ್ರಪಂಚ, ಚೆನ್ನಾಗಿದ್ದೀರಾ?",
    "ഹലോ ലോകം, നന്ദി.",
    "ආයුබෝවන් ලෝකය.",
    "สวัสดีชาวโลก กินน้ำไหม ๑๒๓",
    "ສະບາຍດີຊາວໂລກ",
    "မင်္ဂလာပါ ကမ္ဘာ။",
    "សួស្តី\u200bពិភពលោក។",
    "བཀྲ་ཤིས་བདེ་ལེགས།",
    "ሰላም ዓለም።",
    "你好，世界！今天天气很好，2024年5月1日。",
    "繁體中文「引號」與龘龘。",
    "吾輩は猫である。名前はまだ無い。",
    "トークンをｱｲｳと、か\u3099き\u309aで…",
    "안녕하세요, 세계! 오늘은 3월 1일입니다.",
    "\u1112\u1161\u11ab\u1100\u1173\u11af \u110c\u1161\u1106\u1169",
    "Сайн байна уу, дэлхий! ᠮᠣᠩᠭᠣᠯ",
    "ᎣᏏᏲ ᎡᎶᎯ!  ᐃᓄᒃᑎᑐᑦ",
    "Saluton, mondo! Eĥoŝanĝo ĉiuĵaŭde.",
    "ˈtəʊkənˌaizə [ʃiː] /ðə/ ŋʀɥ",
    "H₂O, CO₂, x²+y³=z⁴, ½ cup, Ⅷ ⅳ ①②, ∞ ≠ ∑∫√",
    "𝕱𝖚𝖞 𝓕𝓪𝓷𝓬𝔂 Ｈｅｌｌｏ ⓗⓔ",
    "\u202eright to left\u202c and \u2066isolated\u2069 and \u200fmarked\u200e",
    (
        "Z\u0351\u036b\u0343\u0345\u0317a\u0335\u030d\u033bl"
        "\u0334\u0308g\u0337\u0312\u0326o\u0338\u0301\u0321"
    ),
)

CODE: Final[tuple[str, ...]] = (
    (
        "def encode(self, text: str) -> list[int]:\n"
        '    """Ids."""\n'
        "    return [self.ids[p] for p in split(text)]\n"
    ),
    (
        "class A(B):\n"
        "\tdef __init__(self, *args, **kwargs):\n"
        "\t\tsuper().__init__(*args, **kwargs)\n"
        "\n"
        "\t@property\n"
        "\tdef x(self): return self._x\n"
    ),
    ("if __name__ == '__main__':\n    print(f'{a!r:>{width}} {b:.2f}')  # TODO: don't\n"),
    (
        "fn main() -> Result<(), Box<dyn Error>> {\n"
        '    let v: Vec<u8> = "h\\u{e9}".bytes().collect();\n'
        '    println!("{:?}", v);\n'
        "    Ok(())\n"
        "}\n"
    ),
    (
        "impl<'a, T: 'a + Clone> Iterator for It<'a, T> {\n"
        "    type Item = &'a T;\n"
        "    fn next(&mut self) -> Option<&'a T> { None }\n"
        "}\n"
    ),
    (
        "#include <stdio.h>\n"
        "#define MAX(a,b) ((a)>(b)?(a):(b))\n"
        "\n"
        "int main(void)\n"
        "{\n"
        "\tfor (int i = 0; i < 10; i++)\n"
        '\t\tprintf("%d\\n", i);\n'
        "\treturn 0;\n"
        "}\n"
    ),
    (
        "template <typename T>\n"
        "auto f(const std::vector<T>& v) -> decltype(v[0]) {\n"
        "  return v.empty() ? T{} : v[0] << 1;\n"
        "}\n"
    ),
    (
        "const x = async ({ a, b = 1, ...rest }) => {\n"
        "  await fetch(`https://example.org/${a}?b=${b}`);\n"
        "  return rest?.y ?? null;\n"
        "};\n"
    ),
    ("interface Foo<T extends string> { readonly bar?: T | undefined; [k: string]: unknown }\n"),
    (
        "public static void main(String[] args) {\n"
        '        System.out.println("Hello, " + args[0].toUpperCase());\n'
        "}\r\n"
    ),
    (
        "package main\n"
        "\n"
        'import "fmt"\n'
        "\n"
        "func main() {\n"
        "\tch := make(chan int, 3)\n"
        "\tgo func() { ch <- 1 }()\n"
        "\tfmt.Println(<-ch)\n"
        "}\n"
    ),
    (
        "SELECT u.id, COUNT(*) AS n\n"
        "  FROM users u LEFT JOIN orders o ON o.user_id = u.id\n"
        " WHERE u.name LIKE 'O''Brien%'\n"
        " GROUP BY 1 HAVING COUNT(*) >= 2;\n"
    ),
    (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8"/></head>\n'
        "<body class='a b'>&amp;&nbsp;<br></body></html>\n"
    ),
    '{"a": [1, 2.5e-10, true, null], "b": {"c": "\\u00e9\\n"}}\n',
    ("key: value\nlist:\n  - one\n  - 'two'\n  - {three: 3}\nmulti: |\n  text\n"),
    (
        "#!/bin/sh\n"
        "set -eu\n"
        "for f in *.txt; do\n"
        '    [ -f "$f" ] && echo "${f%.txt}" >> out 2>&1 || exit 1\n'
        "done\n"
    ),
    ("# Title\n\n* item **bold** _it_ `code`\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n"),
    (
        "\\begin{equation}\n"
        "  \\frac{\\partial f}{\\partial x_i} = \\sum_{j=1}^{n} a_{ij} x^{2}\n"
        "\\end{equation}\n"
    ),
    (
        "main = do\n"
        "  xs <- map read . words <$> getLine :: IO [Int]\n"
        "  print $ foldr (\\x acc -> x + acc) 0 xs\n"
    ),
    ("(defun fact (n)\n  (if (<= n 1) 1 (* n (fact (- n 1)))))\n;; comment\n"),
    "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(255) DEFAULT '');\n",
    ("diff --git a/x b/x\n@@ -1,3 +1,4 @@\n context\n-old line\n+new line\n+\tanother\n"),
    (
        "Traceback (most recent call last):\n"
        '  File "a.py", line 3, in <module>\n'
        "    1/0\n"
        "ZeroDivisionError: division by zero\n"
    ),
    (
        "2024-01-31T23:59:59.999Z ERROR [worker-7] c.e.App - Failed: code=0xDEADBEEF "
        "ip=10.0.0.1:8080 (42ms)\n"
    ),
    "^(?:\\s*)([A-Za-z_]\\w*)\\s*=\\s*(['\"]).*?\\2(?![^\\n])$",
    "0x1F 0b1010 1_000_000 3.14e+10 0777 1e-7f 12345678901234567890",
    ('.class > #id:nth-child(2n+1)::before { content: "\\201C"; margin: 0 -1px !important; }\n'),
    ("mov eax, [ebx+4*ecx-0x10] ; load\n\tjne .L2\n"),
    "x=1;y=2;;z=x+++y;w=x---y;!!a&&b||c^d~e",
    ("aGVsbG8gd29ybGQ= 550e8400-e29b-41d4-a716-446655440000 d41d8cd98f00b204e9800998ecf8427e"),
)
