import { type Day, dayMs } from '../calendar.ts';
import { apportion } from '../random.ts';
import type { Row } from '../types.ts';
import type { Person } from '../world/people.ts';
import type { PersonDay } from '../world/person-day.ts';
import { filesByLanguage } from '../world/totals.ts';

/** Credits of the simulated world in one AI credit, of which 100 cost 1 USD. */
export const PER_AI_CREDIT = 4000;

/** The first day of fields that rows did not have before. */
const since = {
  cli: Date.UTC(2026, 2, 5) / dayMs,
  /** The totals of a row count what is done in the terminal. */
  cliInTotals: Date.UTC(2026, 3, 10) / dayMs,
  cloudAgent: Date.UTC(2026, 3, 10) / dayMs,
  codeReview: Date.UTC(2026, 3, 22) / dayMs,
  credits: Date.UTC(2026, 5, 19) / dayMs,
  app: Date.UTC(2026, 6, 28) / dayMs,
  agents: Date.UTC(2026, 7, 7) / dayMs,
};

const PROMPTS = 'user_initiated_interaction_count';

/** What files count as. */
const counters = [
  'code_generation_activity_count',
  'code_acceptance_activity_count',
  'loc_suggested_to_add_sum',
  'loc_suggested_to_delete_sum',
  'loc_added_sum',
  'loc_deleted_sum',
];

/** Each is named after the labels that a part must have to be in it. */
const breakdowns = ['ide', 'feature', 'language_feature', 'language_model', 'model_feature'];

/**
 * The features of each surface, with what is known of a part beside its feature and language, their share of the files, and
 * what one file counts as, in the order of the counters. Edits of agents have no editor, and what is typed has no model: the
 * breakdowns by these do not add up to the totals.
 */
const features = {
  editor: [
    { feature: 'code_completion', known: ['ide'], share: 5, worth: [6, 2, 14, 0, 6, 0] },
    { feature: 'chat_panel_agent_mode', known: ['ide', 'model'], share: 3, worth: [2, 1, 9, 1, 5, 0] },
    { feature: 'agent_edit', known: [], share: 4, worth: [0, 0, 0, 0, 21, 4] },
  ],
  terminal: [{ feature: 'copilot_cli', known: ['model'], share: 3, worth: [3, 2, 12, 1, 9, 3] }],
  app: [{ feature: 'copilot_app', known: ['model'], share: 1, worth: [3, 2, 12, 1, 8, 2] }],
};

type Prompts = Readonly<Record<keyof typeof features, number>>;

const agent = { agent_id: '2246796', agent_name: 'Claude (Anthropic)' };

/** Whether a person only has credits: Copilot reviews their code, which they did not ask for. */
export function isPassive(person: Person): boolean {
  return person.index % 9 === 2;
}

/** Whether a person works in an editor; the others use the terminal only. */
export function usesEditor(person: Person): boolean {
  return !isPassive(person) && person.headless <= 0.7;
}

/** Whether a person lets agents work in an editor. */
export function usesAgents(person: Person): boolean {
  return usesEditor(person) && person.autonomy > 6;
}

/** The name of a model on the bill and in reports; a model of the customer's own is in no list of prices. */
export function displayName({ id, tier }: { readonly id: string; readonly tier: string }): string {
  const name = id
    .replace(/^custom:|-0$|-\d{8}$/g, '')
    .replace(/(\d)-(\d)/, '$1.$2')
    .replaceAll('-', ' ')
    .replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return tier === 'thinking' && id.includes('sonnet') ? `Auto: ${name}` : name;
}

/** What a person did with Copilot, as far as it reported that day at the time. */
export function personRow(done: PersonDay, day: Day): Row {
  const { person } = done;
  const [isActive, inEditor] = [!isPassive(person), usesEditor(person)];
  const from = <T>(first: Day, value: T) => (day >= first ? value : undefined);
  const hasApp = inEditor && person.web > 0.02 && day >= since.app;
  const shares = [inEditor ? 6 : 0, isActive && person.headless > 0 ? 3 : 0, hasApp ? 1 : 0];
  const [editor = 0, inTerminal = 0, app = 0] = apportion(done.userMessages, shares);
  const terminal = from(since.cli, inTerminal) ?? 0;
  const jobs = from(since.agents, isActive && person.mcp > 0 ? done.skillCalls : 0) ?? 0;
  return {
    user_login: person.login,
    ai_credits_used: from(since.credits, done.credits / PER_AI_CREDIT),
    ...merged([...fragments(done, { editor, terminal: from(since.cliInTotals, terminal) ?? 0, app })]),
    totals_by_cli: section(done, terminal),
    totals_by_copilot_app: section(done, app),
    totals_by_3rd_party_agent: jobs > 0 ? [{ ...agent, [PROMPTS]: jobs }] : undefined,
    used_chat: inEditor,
    used_agent: usesAgents(person),
    used_cli: terminal > 0,
    used_copilot_app: from(since.app, app > 0),
    used_copilot_cloud_agent: from(since.cloudAgent, isActive && done.pullRequests > 0),
    used_copilot_code_review_active: from(since.codeReview, isActive && done.commits > 1),
    used_copilot_code_review_passive: from(since.codeReview, !isActive),
  };
}

/** What is counted of the terminal or the app; nothing if there were no prompts. */
function section({ sessions, userMessages, input, output }: PersonDay, prompts: number): Row | undefined {
  if (prompts === 0) return undefined;
  return {
    session_count: Math.min(prompts, sessions),
    request_count: prompts * 3,
    prompt_count: prompts,
    token_usage: {
      prompt_tokens_sum: Math.round((input * prompts) / userMessages),
      output_tokens_sum: Math.round((output * prompts) / userMessages),
    },
  };
}

/**
 * The parts that add up to the totals of a row and their breakdowns. What is done in the terminal counts in the totals from
 * a day on; prompts in the app never do.
 */
function* fragments(done: PersonDay, prompts: Prompts): Iterable<Row> {
  yield fragment({}, Object.fromEntries([PROMPTS, ...counters].map((name) => [name, 0])));
  const about = { ide: done.person.index % 4 === 1 ? 'intellij' : 'vscode', model: displayName(done.model) };
  for (const surface of ['editor', 'terminal', 'app'] as const) {
    const asked = prompts[surface];
    for (const { feature, known, share, worth } of asked === 0 ? [] : features[surface]) {
      const labels = {
        feature,
        ...Object.fromEntries(Object.entries(about).filter(([name]) => known.includes(name))),
      };
      if (feature === 'chat_panel_agent_mode' || feature === 'copilot_cli')
        yield fragment(labels, { [PROMPTS]: asked });
      if (feature.startsWith('chat_panel')) yield { [feature]: asked };
      for (const [name, count] of filesByLanguage(done)) {
        const part = Math.floor((count * share) / 12);
        const counts = counters.map((counter, index) => [counter, (worth[index] ?? 0) * part]);
        yield fragment({ ...labels, language: name.toLowerCase() }, Object.fromEntries(counts));
      }
    }
  }
}

/** Counts with their labels. */
function fragment(labels: Readonly<Record<string, string>>, counts: Row): Row {
  const parts = breakdowns.map((name) => {
    const own = Object.fromEntries(name.split('_').map((label) => [label, labels[label]]));
    const isIn = Object.values(own).every((text) => text !== undefined);
    return [`totals_by_${name}`, isIn ? [{ ...own, ...counts }] : []];
  });
  return { ...counts, ...Object.fromEntries(parts) };
}

/**
 * Sums rows up into one: numbers add up, each true counts 1, and the elements of lists add up to those of the same texts.
 * Other texts are those of the first row.
 */
export function merged(rows: readonly Row[]): Row {
  const members = rows.flatMap((row) => Object.entries(row)).filter(([, value]) => value !== undefined);
  const byName = Map.groupBy(members, ([name]) => name);
  return Object.fromEntries([...byName].map(([name, all]) => [name, sumOf(all.map(([, value]) => value))]));
}

function sumOf(values: readonly unknown[]): unknown {
  const [first] = values;
  if (typeof first === 'string') return first;
  if (Array.isArray(first)) return [...Map.groupBy((values as Row[][]).flat(), textsOf).values()].map(merged);
  if (typeof first === 'object') return merged(values as Row[]);
  return values.reduce<number>((sum, value) => sum + Number(value), 0);
}

function textsOf(element: Row): string {
  return JSON.stringify(Object.values(element).filter((value) => typeof value === 'string'));
}
