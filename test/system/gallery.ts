import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { addDays, startOf } from '../../src/catalog/day.ts';
import { reportHtml } from '../../src/commands/report/render.ts';
import { reportOf } from '../../src/commands/report/report.ts';
import type { OrgFigures } from '../../src/page/org-figures.ts';
import { contentOf } from '../../src/page/page.ts';
import { viewOfDays } from '../collectors/explain/view.ts';
import { orgStatus, serviceStatus, textOfPage } from '../server/fixtures.ts';
import { dayNamed } from '../support/day.ts';

/** A page in a frame of some width, in CSS pixels. */
interface Framed {
  readonly width: number;
  readonly page: string;
}

/**
 * Serves pages in frames, each examined by axe-core. The browser writes the findings into `<pre id="found">`: serious
 * violations, by how many pixels the content is wider than the frame, and the number of charts.
 */
export async function startGallery(frames: readonly Framed[]): Promise<{ origin: string; close(): void }> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const documents = new Map([
    ['/', gallery(frames)],
    // The simulated page refreshes itself, which would interrupt the examination.
    ...frames.map(({ page }, index): [string, string] => [
      `/${index}`,
      page
        .replace(/<meta http-equiv="refresh"[^>]*>/, '')
        .replace('</body>', `<script src="/axe.js"></script><script>${EXAMINE}</script></body>`),
    ]),
  ]);
  const server = createServer((request, response) => {
    const isAxe = request.url === '/axe.js';
    response.setHeader('Content-Type', isAxe ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isAxe ? axe : (documents.get(request.url ?? '') ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}

const EXAMINE = `
const overflow = Math.max(0, document.documentElement.scrollWidth - innerWidth);
const bars = document.querySelectorAll('svg.spark').length;
// All rows are alike, and axe-core takes a tenth of a second for each.
for (const row of document.querySelectorAll('tbody tr:nth-child(n+10)')) row.remove();
axe.run(document, {resultTypes: ['violations']}).then(({violations, passes}) => parent.postMessage({
  violations: violations.filter(({impact}) => impact === 'serious' || impact === 'critical')
    .map(({id, nodes}) => id + ' ' + nodes.length + ' ' + nodes[0].html.slice(0, 120)),
  contrast: passes.some(({id}) => id === 'color-contrast'),
  overflow,
  bars,
  scheme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
}, '*'), (error) => parent.postMessage({error: String(error)}, '*'));
`;

function gallery(frames: readonly Framed[]): string {
  // One after the other, because axe-core works on visible frames only.
  return `<!doctype html><html lang="en"><title>Gallery</title><pre id="found">[]</pre><script>
const widths = ${JSON.stringify(frames.map(({ width }) => width))};
const found = [];
addEventListener('message', ({data}) => {
  found.push({width: widths[found.length], ...data});
  document.querySelector('#found').textContent = JSON.stringify(found);
  next();
});
function next() {
  document.querySelector('iframe')?.remove();
  if (found.length === widths.length) return;
  const frame = document.createElement('iframe');
  frame.width = widths[found.length];
  frame.height = 2000;
  frame.title = 'page';
  frame.src = '/' + found.length;
  document.body.append(frame);
}
next();
</script></html>`;
}

const LAST = dayNamed('2026-11-19');

/** The first page with 500 organizations that have figures. */
export function indexOf500(): string {
  const orgs = Array.from({ length: 500 }, (_, index) => orgStatus({ name: `organization-${index}` }));
  const figures = new Map(orgs.map(({ name }, index) => [name, figuresOf(index)]));
  const status = serviceStatus({ orgs, now: startOf(addDays(LAST, 1)) });
  const content = contentOf(status, {});
  return content === undefined ? '' : textOfPage(status, content, figures);
}

/** The page of an organization with the months of teams, with and without a budget. */
export function pageOfTeams(): string {
  const credits = (amount: number) => ({ currency: undefined, amount });
  const usd = (amount: number) => ({ currency: 'USD', amount });
  const month = { credits: credits(60e6), cost: usd(162), forecast: credits(110e6), costForecast: usd(297) };
  const budgeted = { budget: credits(100e6), probability: credits(0.73) };
  const teams = [
    { team: 'payments-and-invoices', ...month, ...budgeted },
    { team: 'unassigned', credits: credits(-7) },
  ];
  const status = serviceStatus({ now: startOf(addDays(LAST, 1)) });
  const figures = new Map([['acme', { ...figuresOf(1), teamMonths: { day: LAST, teams, rest: 3 } }]]);
  const content = contentOf(status, {});
  return content === undefined ? '' : textOfPage(status, content, figures);
}

function figuresOf(seed: number): OrgFigures {
  const trend = Array.from({ length: 30 }, (_, index) => ({
    day: addDays(LAST, index - 29),
    value: (index + seed) % 7 === 0 ? undefined : ((index * 37 + seed * 11) % 100) * 1e6,
    upper: 80e6,
  }));
  const value = trend.at(-1)?.value;
  const figure = { family: 'agent_platform_daily_credits', isPublished: true, day: LAST, value, trend };
  return {
    figures: [
      { name: 'credits', ...figure, weekBefore: trend.at(-8)?.value },
      { name: 'people', ...figure, value: seed, weekBefore: 7 },
      { name: 'month', ...figure, value: seed * 1e6, weekBefore: undefined },
    ],
    dayCost: undefined,
    monthCosts: [],
    monthBudget: 300e6,
    monthForecast: undefined,
    repositories: 0,
    newestReportAt: undefined,
    worse: [],
    worseCount: 0,
  };
}

/** The report of a month with hundreds of millions of credits, which are forecast with a range. */
export function reportOfMillions(): string {
  const day = dayNamed('2026-11-22');
  const period = { kind: 'month', first: dayNamed('2026-11-01'), last: dayNamed('2026-11-30') } as const;
  const report = reportOf('acme', period, day, () => viewOfDays({}, day));
  const range = { lower: 357_228_548, upper: 440_662_625 };
  const month = [
    {
      title: 'Credits, forecast of the month',
      currency: undefined,
      value: 390_965_125,
      range,
      isRatio: false,
    },
  ];
  const models = [{ name: 'custom:globex-coder-32b-0', amount: 155_166_831, before: 150_178_334 }];
  return reportHtml([{ ...report, month, models }]);
}
