import { daysBetween } from '../../catalog/day.ts';
import { escapedMarkdown, partsWords, sentenceOf, signed } from '../../page/explanation.ts';
import { html } from '../../page/html.ts';
import { columns } from '../../text/columns.ts';
import type { Part, ReadinessMove, Report, State } from './report.ts';
import { allWords, amount, attentionOf, change, nameOf, percent, unusualWords } from './words.ts';

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
  readonly attention: readonly string[];
}

const LOOK_AT = 'To look at';

/** How many causes, models, teams and repositories are listed. */
const LISTED = 12;

/** One HTML document without scripts, readable at 360 pixels and in a mail client. */
export function reportHtml(reports: readonly Report[]): string {
  const all = allWords(reports);
  const sections = reports.map(partsOf).map(
    ({ title, sentences, tables, attention }) => html`<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>\n`)}${tables.map(tableHtml)}${
  attention.length === 0
    ? undefined
    : html`<h2>${LOOK_AT}</h2>\n<ol>${attention.map((one) => html`<li>${one}</li>\n`)}</ol>\n`
}`,
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
th:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere}
td:nth-child(3){white-space:normal}
thead th{color:#57606a;font-size:.85rem}
@media(max-width:26rem){th,td,thead th{font-size:.8rem}}
</style>
<body>
${all && html`<p>${all}</p>\n`}${sections}</body>
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
  return reportText(reports, {
    escaped: escapedMarkdown,
    heading: (text, level) => `${'#'.repeat(level)} ${text}`,
    table: tableMarkdown,
  });
}

/** The same in the markup of Slack, which has no tables: they are blocks of text of fixed width. */
export function reportSlack(reports: readonly Report[]): string {
  return reportText(reports, {
    escaped: escapedSlack,
    heading: (text) => `*${text}*`,
    table: ({ head, rows }) =>
      `\`\`\`\n${columns([head, ...rows])
        .map(escapedSlack)
        .join('\n')}\n\`\`\``,
  });
}

interface Markup {
  escaped(text: string): string;
  heading(escapedText: string, level: number): string;
  table(table: Table): string;
}

function reportText(reports: readonly Report[], { escaped, heading, table }: Markup): string {
  const sections = reports
    .map(partsOf)
    .flatMap(({ title, sentences, tables, attention }) => [
      heading(escaped(title), 1),
      ...sentences.map(escaped),
      ...tables.flatMap((one) => [heading(one.title, 2), table(one)]),
      ...(attention.length === 0
        ? []
        : [heading(LOOK_AT, 2), attention.map((one, index) => `${index + 1}. ${escaped(one)}`).join('\n')]),
    ]);
  const all = allWords(reports);
  return [...(all === undefined ? [] : [escaped(all)]), ...sections].join('\n\n').concat('\n');
}

function escapedSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('`', '´');
}

function tableMarkdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapedMarkdown).join(' | ')} |`;
  return [line(head), `|---${'|--:'.repeat(head.length - 1)}|`, ...rows.map(line)].join('\n');
}

function partsOf(report: Report): Parts {
  const { org, platform, period } = report;
  return {
    title: `${org}${platform ? ` (${platform})` : ''}: ${period.kind} of ${period.first} to ${period.last}`,
    sentences: sentencesOf(report),
    tables: tablesOf(report),
    attention: attentionOf(report),
  };
}

function sentencesOf(report: Report): readonly string[] {
  const { period, currency, days, revisedUntil, figures, explanation, unusual, readiness } = report;
  const all = daysBetween(period.first, period.last) + 1;
  const sentences: string[] = [];
  if (days.length === 0 || figures.length === 0) sentences.push('No day of it is over and known.');
  else if (days.length < all) sentences.push(`Partial: ${days.length} of ${all} days, up to ${days.at(-1)}.`);
  if (revisedUntil !== undefined && figures.some((one) => one.currency !== undefined)) {
    const [what, them] = currency === undefined ? ['Credits and cost are', 'them'] : ['The cost is', 'it'];
    sentences.push(`${what} provisional: the platform may revise ${them} until ${revisedUntil}.`);
  }
  if (explanation !== undefined) {
    const means = period.kind === 'month' ? ' Each weekday counts as much before as after.' : '';
    sentences.push(`${sentenceOf(explanation)}${means}`);
  }
  for (const day of unusual) sentences.push(unusualWords(day));
  for (const [unknown, gaps] of Map.groupBy(figures, (one) => one.unknown)) {
    if (unknown === 0) continue;
    const names = gaps.map(nameOf).join(', ');
    sentences.push(`Unknown on ${unknown} of ${days.length} days, and so without a total: ${names}.`);
  }
  if (readiness.length > LISTED) sentences.push(`Readiness moved in ${readiness.length} repositories.`);
  return sentences;
}

function tablesOf(report: Report): readonly Table[] {
  const { period, days, figures, explanation, month, models, teams, unitCosts, readiness, currency } = report;
  const [noun, unit] = currency === undefined ? ['Credits', 'credits'] : ['Cost', currency];
  const heads = [`this ${period.kind}`, 'before', 'change'];
  const rows = figures.map((one) => [
    nameOf(one),
    amount(one.value, one),
    amount(one.before, one),
    // Between two currencies, what one lost is in the other.
    figures.filter(({ title }) => title === one.title).length > 1 ? '' : change(one),
  ]);
  const causes = (explanation ? partsWords(explanation) : []).map(({ name, credits }) => [
    name,
    signed(credits, currency),
  ]);
  const tables: readonly Table[] = [
    { title: 'Figures', head: ['', ...heads], rows },
    {
      title: `Why ${noun.toLowerCase()} a day changed`,
      head: ['cause', `${unit} a day`],
      rows: causes.slice(0, LISTED),
    },
    { title: `${noun} by model`, head: ['model', ...heads], rows: partRows(models, currency) },
    { title: `${noun} by team`, head: ['team', ...heads], rows: partRows(teams, currency) },
    { title: `The month on ${days.at(-1)}`, head: ['', 'amount', 'range'], rows: month.map(stateCells) },
    {
      title: `Unit costs, the 28 days up to ${days.at(-1)}`,
      head: ['', 'amount'],
      rows: unitCosts.map((one) => stateCells(one).slice(0, 2)),
    },
    {
      title: 'Readiness that moved',
      head: ['repository', 'before', 'after'],
      rows: readiness.slice(0, LISTED).map(moveCells),
    },
  ];
  return tables.filter((table) => table.rows.length > 0);
}

function partRows(parts: readonly Part[], currency: string | undefined): Table['rows'] {
  const rows = parts.slice(0, LISTED).map(({ name, amount: value, before }) => {
    const of = { title: name, value, before, currency };
    return [name, amount(value, of), amount(before, of), change(of)];
  });
  const rest = parts.slice(LISTED);
  if (rest.length === 0) return rows;
  const sum = rest.reduce((all, { amount: more }) => all + more, 0);
  return [...rows, [`${rest.length} more`, amount(sum, { currency }), '', '']];
}

function stateCells({ range, isRatio, ...of }: State): readonly string[] {
  const value = isRatio && of.title.includes('probability') ? percent(of.value) : amount(of.value, of);
  return [nameOf(of), value, range ? `${amount(range.lower, of)} to ${amount(range.upper, of)}` : ''];
}

function moveCells({ repo, before, after }: ReadinessMove): readonly string[] {
  return [repo, before === undefined ? 'new' : percent(before), percent(after)];
}
