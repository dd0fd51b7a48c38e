"use strict";
(() => {
  // light or dark: the system decides until the button is pressed
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  system.addEventListener("change", label);
  label();

  // tables: a heading sorts up, then down; missing values stay last
  const value = (row, column, kind) => {
    const cell = row.cells[column];
    if (kind !== "number") return cell.textContent.trim();
    const text = cell.dataset.value === undefined ? cell.textContent.trim() : cell.dataset.value;
    const number = text === "" ? NaN : Number(text);
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return a.localeCompare(b, undefined, { numeric: true });
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const press = head.querySelector("button");
      press.addEventListener("click", () => {
        const isUp = head.getAttribute("aria-sort") !== "ascending";
        const body = table.tBodies[0];
        const rows = [...body.rows].map((row) => [value(row, column, press.dataset.kind), row]);
        const isMissing = (key) => key === "–" || key === "";
        rows.sort(([a], [b]) => {
          if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b);
          return isUp ? compare(a, b) : compare(b, a);
        });
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  // the binomial tail again, in this page: log P(at most k errors of n at this risk)
  const tail = document.getElementById("tail");
  if (tail) {
    const n = Number(tail.dataset.n);
    const k = Number(tail.dataset.k);
    const nats = Number(tail.dataset.nats);
    const risk = Number(tail.dataset.risk);
    let term = n * Math.log1p(-risk);
    let largest = term;
    const terms = [term];
    for (let i = 1; i <= k; i += 1) {
      term += Math.log((n - i + 1) / i) + Math.log(risk) - Math.log1p(-risk);
      terms.push(term);
      largest = Math.max(largest, term);
    }
    const log = largest + Math.log(terms.reduce((sum, t) => sum + Math.exp(t - largest), 0));
    const isSame = Math.abs(log + nats) <= 1e-6 * Math.max(1, nats);
    tail.classList.add(isSame ? "good" : "bad");
    tail.textContent = isSame
      ? `✓ This page has just computed it again: ${(-log).toFixed(6)} nats, as stated.`
      : `✗ This page computes ${(-log).toFixed(6)} nats, but ${nats.toFixed(6)} are stated.`;
    tail.hidden = false;
  }

  // print everything, also what is folded away
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
