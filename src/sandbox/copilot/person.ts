import type { Day } from '../calendar.ts';
import { apportion } from '../random.ts';
import type { Row } from '../types.ts';
import type { Person } from '../world/people.ts';
import type { PersonDay } from '../world/person-day.ts';
import { filesByLanguage } from '../world/totals.ts';
import { since } from './calendar.ts';
import { displayName, PER_AI_CREDIT } from './credits.ts';
import { merged } from './merged.ts';

const counters = [
  'user_initiated_interaction_count',
  'code_generation_activity_count',
  'code_acceptance_activity_count',
  'loc_suggested_to_add_sum',
  'loc_suggested_to_delete_sum',
  'loc_added_sum',
  'loc_deleted_sum',
];

const breakdowns = ['ide', 'feature', 'language_feature', 'language_model', 'model_feature'].map(
  (name) => `totals_by_${name}`,
);

/** Per surface: its features, each with its share of the files, and what one file counts as, in the order of the counters. */
const features: readonly (readonly [feature: string, share: number, counts: readonly number[]])[][] = [
  [
    ['code_completion', 5, [6, 2, 14, 0, 6, 0]],
    ['chat_panel_agent_mode', 3, [2, 1, 9, 1, 5, 0]],
    ['agent_edit', 4, [0, 0, 0, 0, 21, 4]],
  ],
  [['copilot_cli', 3, [3, 2, 12, 1, 9, 3]]],
  [['copilot_app', 1, [3, 2, 12, 1, 8, 2]]],
];

const agent = { agent_id: '2246796', agent_name: 'Claude (Anthropic)' };

/** Whether a person only has credits: Copilot reviews their code, which they did not ask for. */
export function isPassive(person: Person): boolean {
  return person.index % 9 === 2;
}

/** Whether a person works in an editor; the others use the terminal only. */
export function usesEditor(person: Person): boolean {
  return !isPassive(person) && person.headless <= 0.7;
}

/** What a person did with Copilot, as far as it reported that day at the time. */
export function personRow(done: PersonDay, day: Day): Row {
  const { person, sessions, input, output } = done;
  const isActive = !isPassive(person);
  const editor = usesEditor(person);
  const hasApp = editor && person.web > 0.02 && day >= since.app;
  const shares = [editor ? 6 : 0, isActive && person.headless > 0 ? 3 : 0, hasApp ? 1 : 0];
  const prompts = apportion(done.userMessages, shares);
  const [, inTerminal = 0, inApp = 0] = prompts;
  const section = (count: number): Row => ({
    session_count: Math.min(count, sessions),
    request_count: count * 3,
    prompt_count: count,
    token_usage: {
      prompt_tokens_sum: Math.round((input * count) / done.userMessages),
      output_tokens_sum: Math.round((output * count) / done.userMessages),
    },
  });
  const jobs = isActive && person.mcp > 0 && day >= since.agents ? done.skillCalls : 0;
  return {
    user_login: person.login,
    ai_credits_used: day >= since.credits ? done.credits / PER_AI_CREDIT : undefined,
    ...merged(fragments(done, prompts, day)),
    totals_by_cli: inTerminal > 0 && day >= since.cli ? section(inTerminal) : undefined,
    totals_by_copilot_app: inApp > 0 ? section(inApp) : undefined,
    totals_by_3rd_party_agent: jobs > 0 ? [{ ...agent, user_initiated_interaction_count: jobs }] : undefined,
    used_chat: editor,
    used_agent: editor && person.autonomy > 6,
    used_cli: inTerminal > 0 && day >= since.cli,
    used_copilot_app: day >= since.app ? inApp > 0 : undefined,
    used_copilot_cloud_agent: day >= since.cloudAgent ? isActive && done.pullRequests > 0 : undefined,
    used_copilot_code_review_active: day >= since.codeReview ? isActive && done.commits > 1 : undefined,
    used_copilot_code_review_passive: day >= since.codeReview ? !isActive : undefined,
  };
}

/**
 * The parts that add up to the totals of a row and their breakdowns. What is done in the terminal counts in the totals from
 * a day on; prompts in the app never do.
 */
function* fragments(done: PersonDay, prompts: readonly number[], day: Day): Iterable<Row> {
  yield { ...countsOf(counters.map(() => 0)), ...Object.fromEntries(breakdowns.map((name) => [name, []])) };
  for (const [surface, ofSurface] of features.entries()) {
    const asked = prompts[surface] ?? 0;
    if (asked === 0 || (surface === 1 && day < since.cliInTotals)) continue;
    for (const [feature, share, worth] of ofSurface) {
      const isChat = feature === 'chat_panel_agent_mode' || feature === 'copilot_cli';
      if (isChat) yield fragment(done, feature, undefined, countsOf([asked]));
      if (feature.startsWith('chat_panel')) yield { [feature]: asked };
      for (const [name, count] of filesByLanguage(done)) {
        const part = Math.floor((count * share) / 12);
        yield fragment(
          done,
          feature,
          name.toLowerCase(),
          countsOf(
            worth.map((each) => each * part),
            1,
          ),
        );
      }
    }
  }
}

/**
 * Counts with their labels. Edits of agents have no editor, and what is typed has no model: the breakdowns by these do not
 * add up to the totals.
 */
function fragment(
  { person, model: used }: PersonDay,
  feature: string,
  language: string | undefined,
  counts: Row,
): Row {
  const isTyped = feature === 'code_completion' || feature === 'agent_edit';
  const isInEditor = feature === 'code_completion' || feature.startsWith('chat_panel');
  const model = displayName(used);
  const ide = person.index % 4 === 1 ? 'intellij' : 'vscode';
  return {
    ...counts,
    totals_by_feature: [{ feature, ...counts }],
    totals_by_ide: isInEditor ? [{ ide, ...counts }] : [],
    totals_by_language_feature: language === undefined ? [] : [{ language, feature, ...counts }],
    totals_by_language_model: language === undefined || isTyped ? [] : [{ language, model, ...counts }],
    totals_by_model_feature: isTyped ? [] : [{ model, feature, ...counts }],
  };
}

function countsOf(counts: readonly number[], from = 0): Row {
  return Object.fromEntries(counts.map((count, index) => [counters[from + index], count]));
}
