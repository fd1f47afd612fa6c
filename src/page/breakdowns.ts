import { addDays } from '../catalog/day.ts';
import { differenceWords } from './figures.ts';
import { percent, readable, tenths } from './format.ts';
import { andMore, card, dayTime, type Html, html, number } from './html.ts';
import type { Breakdown, BreakdownName, OrgFigures } from './org-figures.ts';

const titles: Readonly<Record<BreakdownName, string>> = {
  models: 'Credits by model',
  clients: 'People by client',
  tools: 'Tool calls',
  servers: 'Calls of MCP servers',
  teams: 'Credits by team',
  repositories: 'Readiness by repository, lowest first',
};

/** The parts of an organization's figures as cards; `id` is unique on the page. */
export function breakdownCards(all: OrgFigures, id: string): Html | undefined {
  const { breakdowns = [] } = all;
  if (breakdowns.length === 0) return undefined;
  return html`<div class="breakdowns">${breakdowns.map((one) => cardOf(one, all, `${id}-${one.name}`))}</div>`;
}

function cardOf(breakdown: Breakdown, all: OrgFigures, id: string): Html {
  const { name, rows, rest } = breakdown;
  const isRatio = name === 'repositories';
  const largest = isRatio ? 1 : (rows[0]?.value ?? 1);
  const items = rows.map(({ label, value, before }) => {
    const change = differenceWords(value, before, isRatio);
    const width = Math.round((value / largest) * 100);
    return html`<li><span class="name">${breakable(label)}</span> ${isRatio ? number(value, percent(value)) : number(value, name === 'clients' ? tenths(value) : readable(value))}
<span class="change">${change ?? ''}</span><svg class="part" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0h${width}v1H0z"/></svg></li>`;
  });
  const content = html`<p class="of">${periodOf(breakdown)}${name === 'clients' && all.seats !== undefined ? html`, of ${number(all.seats)} seats` : undefined}</p>
<ol class="parts">${items}</ol>
${andMore(rest)}`;
  const title = breakdown.currency === undefined ? titles[name] : titles[name].replace('Credits', 'Cost');
  return card('', id, title, content);
}

/** A name that a narrow card breaks after a slash. */
function breakable(name: string): readonly Html[] {
  return name.split('/').map((part, index) => (index === 0 ? html`${part}` : html`/<wbr>${part}`));
}

function periodOf({ name, day }: Breakdown): Html {
  if (name === 'repositories') return html`against the previous report of each`;
  const mean = name === 'clients' ? ', a day on average' : '';
  return html`${dayTime(addDays(day, -6))} to ${dayTime(day)}${mean}, against the 7 days before`;
}
