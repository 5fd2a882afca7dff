// Every chart as SVG or PNG, every table as CSV. Files are made in the page; nothing is sent anywhere.

const LOOKS = ["fill", "stroke", "stroke-width", "opacity", "fill-opacity", "stroke-opacity", "font-family", "font-size", "font-weight", "stroke-dasharray", "text-anchor", "paint-order", "stroke-linejoin"];

function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A copy of a drawing that looks the same without this page's style sheet. */
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, i) => {
    const looks = getComputedStyle(element);
    for (const look of LOOKS) to[i].setAttribute(look, looks.getPropertyValue(look));
    for (const gone of ["class", "style", "data-topic", "data-author", "tabindex", "role"]) to[i].removeAttribute(gone);
  });
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute("role", "img");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(svg.closest(".panel")).backgroundColor);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

const saveSvg = (svg, name) => download(new Blob([standalone(svg)], { type: "image/svg+xml" }), `${name}.svg`);

async function savePng(svg, name) {
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = make("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => download(blob, `${name}.png`), "image/png");
}

/** A cell: quoted where needed; text that a spreadsheet would run as a formula begins with an apostrophe. */
function cell(value) {
  let text = value == null ? "" : String(value);
  if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csvOf = (rows) => rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
const saveCsv = (rows, name) => download(new Blob(["\ufeff", csvOf(rows)], { type: "text/csv" }), `${name}.csv`);
