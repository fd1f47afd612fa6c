import { daysBetween } from '../catalog/day.ts';
import { escapedMarkdown, partsWords, sentenceOf, signed } from '../explain/text.ts';
import { amountText } from '../server/page/format.ts';
import { html } from '../server/page/html.ts';
import type { Figure, ReadinessMove, Report } from './report.ts';

/** A table of a report; its first column is text, the others are numbers. */
interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The parts of an organization's report, for any format. */
interface Parts {
  readonly title: string;
  readonly sentences: readonly string[];
  readonly tables: readonly Table[];
}

/** How many causes and repositories are listed. */
const LISTED = 12;

/** One HTML document without scripts, readable at 360 pixels and in a mail client. */
export function reportHtml(reports: readonly Report[]): string {
  const sections = reports.map(partsOf).map(
    ({ title, sentences, tables }) => html`<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>\n`)}${tables.map(tableHtml)}`,
  );
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Report of coding-agent usage</title>
<style>
body{max-width:40rem;margin:0 auto;padding:1rem;font:16px/1.5 sans-serif;color:#1b1f24;background:#fff}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-bottom:.3rem}
table{width:100%;border-collapse:collapse}
th,td{padding:.3rem .25rem;white-space:nowrap;font-size:.9rem;border-top:1px solid #d0d7de;text-align:right;font-weight:400;font-variant-numeric:tabular-nums}
th:first-child{text-align:left;white-space:normal;overflow-wrap:break-word}
thead th{color:#57606a;font-size:.85rem}
</style>
<body>
${sections}</body>
</html>
`.markup;
}

function tableHtml({ title, head, rows }: Table) {
  return html`<h2>${title}</h2>
<table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(([name, ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table>
`;
}

/** The same as Markdown. */
export function reportMarkdown(reports: readonly Report[]): string {
  return reports
    .map(partsOf)
    .map(({ title, sentences, tables }) =>
      [`# ${escapedMarkdown(title)}`, ...sentences.map(escapedMarkdown), ...tables.map(tableMarkdown)].join(
        '\n\n',
      ),
    )
    .join('\n\n')
    .concat('\n');
}

function tableMarkdown({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapedMarkdown).join(' | ')} |`;
  return [`## ${title}`, '', line(head), `|---${'|--:'.repeat(head.length - 1)}|`, ...rows.map(line)].join(
    '\n',
  );
}

function partsOf({ org, period, days, figures, explanation, month, readiness }: Report): Parts {
  const all = daysBetween(period.first, period.last) + 1;
  const title = `${org}: ${period.kind} of ${period.first} to ${period.last}`;
  const sentences: string[] = [];
  if (days.length === 0 || figures.length === 0) sentences.push('No day of it is over and known.');
  else if (days.length < all) sentences.push(`Partial: ${days.length} of ${all} days, up to ${days.at(-1)}.`);
  if (explanation !== undefined) {
    const means = period.kind === 'month' ? ' Each weekday counts as much before as after.' : '';
    sentences.push(`${sentenceOf(explanation)}${means}`);
  }
  for (const [unknown, gaps] of Map.groupBy(figures, (one) => one.unknown)) {
    if (unknown === 0) continue;
    const names = gaps.map(nameOf).join(', ');
    sentences.push(`Unknown on ${unknown} of ${days.length} days, and so without a total: ${names}.`);
  }
  const tables: Table[] = [];
  if (figures.length > 0) {
    const rows = figures.map((one) => [
      nameOf(one),
      amount(one.value, one),
      amount(one.before, one),
      // Between two currencies, what one lost is in the other.
      figures.filter(({ title }) => title === one.title).length > 1 ? '' : change(one),
    ]);
    tables.push({ title: 'Figures', head: ['', `this ${period.kind}`, 'before', 'change'], rows });
  }
  if (explanation !== undefined) {
    const rows = partsWords(explanation.what).map(({ name, credits }) => [name, signed(credits)]);
    tables.push({
      title: 'Why credits a day changed',
      head: ['cause', 'credits a day'],
      rows: rows.slice(0, LISTED),
    });
  }
  if (month.length > 0) {
    const rows = month.map((one) => [nameOf(one), amount(one.value, one)]);
    tables.push({ title: `The month on ${days.at(-1)}`, head: ['', 'amount'], rows });
  }
  if (readiness.length > 0) {
    const rows = readiness.slice(0, LISTED).map(moveCells);
    tables.push({ title: 'Readiness that moved', head: ['repository', 'before', 'after'], rows });
    if (readiness.length > LISTED) sentences.push(`Readiness moved in ${readiness.length} repositories.`);
  }
  return { title, sentences, tables };
}

function nameOf({ title, currency }: Figure): string {
  return currency === undefined ? title : `${title} (${currency})`;
}

function amount(value: number | undefined, { currency }: Pick<Figure, 'currency'>): string {
  if (value === undefined) return 'unknown';
  return currency === undefined ? digits(value) : amountText({ currency, amount: value });
}

function change({ value, before }: Figure): string {
  if (value === undefined || before === undefined || before === 0) return '';
  const share = Math.round((value / before - 1) * 100);
  const sign = share === 0 ? '' : share > 0 ? '+' : '−';
  return `${sign}${Math.abs(share)} %`;
}

function moveCells({ repo, before, after }: ReadinessMove): readonly string[] {
  return [repo, before === undefined ? 'new' : percent(before), percent(after)];
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

function digits(value: number): string {
  return (Math.abs(value) < 1_000 ? tenths : whole).format(value);
}
