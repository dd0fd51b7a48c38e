const fill = (x, value) => (Number.isNaN(x) ? value : x);
function step(x, cuts, values, missing) {
  if (Number.isNaN(x)) return missing;
  let low = 0, high = cuts.length; // how many cuts are at most x
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return values[low];
}
const gap = (x, cut, unit) => {
  const size = Math.abs(x - cut) / unit;
  return Math.min(Number.MAX_VALUE, size > 2.2250738585072014e-308 ? size : 2.2250738585072014e-308);
};

// a cell is null if it is not known, a number, or a word; a word that the card does not name is -1
function read(field, cell) {
  if (cell === null || cell === undefined || cell === "") return NaN;
  if (field.kind === "number") return field.marks.includes(cell) ? NaN : cell;
  const place = field.words.indexOf(cell);
  return place < 0 && field.kind === "ordered" ? NaN : place;
}

function encode(reads) {
  return CARD.features.map((feature) => {
    const value = reads[feature.field];
    if (feature.kind === "missing") return Number.isNaN(value) ? 1 : 0;
    if (feature.kind === "value" || Number.isNaN(value)) return value;
    return value === feature.place ? 1 : 0;
  });
}

// cells in the order of the fields; label null: a value must be known, or the score is in doubt
function answer(cells) {
  const reads = CARD.fields.map((field, k) => read(field, cells[k]));
  const x = encode(reads);
  const found = compute(x);
  const gone = CARD.fields.flatMap((field, k) => (Number.isNaN(reads[k]) ? [k] : []));
  const required = [...new Set(CARD.required.filter((j) => Number.isNaN(x[j])).map((j) => CARD.features[j].field))];
  const isKnown = required.length === 0;
  const isInDoubt = isKnown && CARD.width !== null && Math.abs(found.score) <= CARD.width;
  let risk = null;
  if (CARD.risk !== null && isKnown) {
    const z = found.score + CARD.risk.offset;
    const curve = 1 / (1 + Math.exp(-(CARD.risk.intercept + CARD.risk.slope * z)));
    // a label is the likelier class
    const second = z > 0 ? Math.max(curve, 0.5 + 2 ** -53) : Math.min(curve, 0.5);
    risk = CARD.risk.is_second ? second : 1 - second;
  }
  return {
    label: isKnown && !isInDoubt ? found.label : null,
    score: isKnown ? found.score : null,
    points: isKnown && CARD.offset !== null ? found.score + CARD.offset : null,
    risk, gone, required, isInDoubt,
    lines: found.lines,
  };
}

function start() {
  const at = (id) => document.getElementById(id);
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const shade = () => {
    at("shade").textContent = isDark() ? SAY.light : SAY.dark;
    at("shade").setAttribute("aria-pressed", String(isDark()));
  };
  const names = (places) => places.map((k) => CARD.fields[k].name).join(", ");
  const put = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
  const short = (value) => String(Number(value.toPrecision(6))).replace("-", "−");
  const signed = (value) => (value < 0 ? "" : "+") + short(value);

  const share = (risk) => {
    // an estimate is never 0 or 1
    if (risk < 0.001) return SAY.least;
    return risk > 0.999 ? SAY.most : `${(100 * risk).toFixed(1)} %`;
  };

  // a number as people write it; a text that can be read in two ways is refused
  function typed(text) {
    const plain = text.trim().replace("−", "-");
    if (plain === "") return [null, ""];
    if (/^[-+]?[1-9]\d{0,2},\d{3}$/.test(plain)) return [null, SAY.comma_error];
    if (!/^[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?$/.test(plain)) return [null, SAY.number_error];
    const value = Number(plain.replace(",", "."));
    return Number.isFinite(value) ? [value, ""] : [null, SAY.number_error];
  }

  function cells() {
    let isBad = false;
    const found = CARD.fields.map((field, k) => {
      const control = at(`f${k}`);
      if (field.kind !== "number") {
        if (control.value === "") return null;
        return control.value === "-1" ? Symbol("another") : field.words[Number(control.value)];
      }
      const [value, error] = typed(control.value);
      control.setAttribute("aria-invalid", String(error !== ""));
      if (at(`e${k}`).textContent !== error) at(`e${k}`).textContent = error;
      isBad = isBad || error !== "";
      return value;
    });
    return [found, isBad];
  }

  function line(text, state, kind) {
    const item = document.createElement("li");
    for (const [words, name] of [[text, "text"], [state, "state"]]) {
      const span = document.createElement("span");
      span.className = name;
      span.textContent = words;
      item.append(span);
    }
    item.className = kind;
    return item;
  }

  function lines(found) {
    const firing = new Map(); // rule -> whether all its conditions are met
    CARD.entries.forEach((entry, i) => {
      if (entry.part >= 0) firing.set(entry.part, (firing.get(entry.part) ?? true) && found.lines[i][0]);
    });
    const first = [...firing].find(([, fires]) => fires)?.[0];
    let part = -1;
    const shown = CARD.entries.flatMap((entry, i) => {
      const [isMet, isUnmet, adds] = found.lines[i];
      const out = [];
      if (entry.part !== part) {
        part = entry.part;
        const head = put(SAY.fires, { n: part + 1, label: CARD.classes[entry.label] });
        out.push(line(head, part === first ? SAY.decides : "", part === first ? "part met" : "part"));
      }
      const gone = names(entry.fields.filter((k) => found.gone.includes(k)));
      if (!entry.asks) {
        const known = Number.isNaN(adds) ? `${SAY.open} ${gone}` : signed(adds) + (gone ? ` (${SAY.missing} ${gone})` : "");
        return [...out, line(entry.text, known, gone ? "open" : "met")];
      }
      const points = adds === null ? "" : ` ${signed(adds)}`;
      if (isMet) return [...out, line(entry.text + points, SAY.met, "met")];
      return [...out, line(entry.text + points, isUnmet ? SAY.unmet : `${SAY.open} ${gone}`, isUnmet ? "unmet" : "open")];
    });
    if (!firing.size || first !== undefined) return shown;
    return [...shown, line(put(SAY.otherwise, { label: CARD.classes[found.label] }), SAY.decides, "part met")];
  }

  function show() {
    const [found, isBad] = cells();
    const isEmpty = !isBad && found.length > 0 && found.every((cell) => cell === null);
    const one = answer(found);
    const isShown = !isBad && !isEmpty;
    document.body.className = isEmpty ? "is-empty" : "";
    const said = at("said");
    said.className = isBad || (isShown && one.label === null) ? "open" : "";
    if (isBad) said.textContent = SAY.mend;
    else if (isEmpty) said.textContent = SAY.nothing;
    else said.textContent = one.label === null ? SAY.undecided : CARD.classes[one.label];
    const say = (id, text) => {
      at(id).textContent = isShown ? text : "";
      at(id).hidden = !isShown || text === "";
    };
    const why = one.required.length ? `${SAY.required} ${names(one.required)}.` : "";
    const some = one.gone.length ? put(SAY.some, { n: one.gone.length, all: CARD.fields.length }) : "";
    say("why", one.isInDoubt ? SAY.doubt : why || some);
    const facts = { from: short(Math.ceil(CARD.offset)), label: CARD.classes[1] };
    if (one.points !== null) say("points", put(SAY.points, { ...facts, sum: short(one.points) }));
    else say("points", one.score === null ? "" : put(SAY.sum, { ...facts, sum: short(one.score) }));
    const percent = one.risk === null ? "" : share(one.risk);
    say("risk", percent && `${put(SAY.risk, { case: CARD.risk?.case })}: ${percent}`);
    const isSum = CARD.entries.some((entry) => !entry.asks);
    const gone = one.gone.length ? `${SAY.missing} ${names(one.gone)}. ${isSum ? SAY.missing_sum : SAY.missing_rule}` : "";
    say("gone", one.required.length ? "" : gone);
    at("lines").replaceChildren(...(isShown ? lines(one) : []));
  }

  at("shade").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    shade();
  });
  system.addEventListener("change", shade);
  at("print").addEventListener("click", () => window.print());
  at("clear").addEventListener("click", () => {
    at("form").reset();
    show();
    at("f0")?.focus();
  });
  at("form").addEventListener("input", show);
  at("form").addEventListener("submit", (event) => {
    event.preventDefault();
    show();
    at("result").focus();
  });
  shade();
  show();
}

if (typeof document === "undefined") globalThis.answer = answer;
else start();
