import type { Conditions } from './conditions.ts';
import type { Model, Tier } from './models.ts';
import type { DelegationLevel, Person } from './people.ts';
import { figures, noFigures, type PersonDay, personDay } from './person-day.ts';

export interface ModelTotal {
  readonly model_id: string;
  readonly model_tier: Tier;
  billable_tokens: number;
  input_tokens: number;
  output_tokens: number;
}

/** The totals of an organization's day over its people. */
export type Totals = Readonly<ReturnType<typeof totalsOn>>;

/** Computes the totals of a day; the work grows with the number of people. */
export function totalsOn(people: readonly Person[], on: Conditions) {
  const sum = noFigures();
  const users = { mcp: 0, terminal: 0, web: 0, headless: 0 };
  const byModel = new Map<Model, ModelTotal>();
  const byLanguage = new Map<string, number>();
  const callsByLevel = new Map<DelegationLevel, number>();
  /** Tool calls per user message of every active person, ascending. */
  const autonomy: number[] = [];
  for (const person of people) {
    const done = personDay(person, on);
    if (done === undefined || done.sessions === 0) continue;
    for (const name of figures) sum[name] += done[name];
    users.mcp += Number(done.mcpCalls > 0);
    users.terminal += Number(done.terminal);
    users.web += Number(done.web);
    users.headless += Number(done.headless);
    addModels(byModel, done);
    for (const [language, files] of filesByLanguage(done)) add(byLanguage, language, files);
    add(callsByLevel, done.delegation, done.toolCalls);
    autonomy.push(done.toolCalls / done.userMessages);
  }
  autonomy.sort((one, other) => one - other);
  const models = [...byModel.values()].sort((one, other) => other.billable_tokens - one.billable_tokens);
  return { active: autonomy.length, sum, users, byModel: models, byLanguage, callsByLevel, autonomy };
}

/** The languages of a person's file operations; the counts sum to files created and edited. */
export function filesByLanguage(done: PersonDay): readonly (readonly [language: string, files: number])[] {
  const files = done.filesCreated + done.filesEdited;
  const [main, ...others] = done.person.languages;
  const aside = Math.floor(files * 0.2);
  const split = [
    [main, files - aside * others.length] as const,
    ...others.map((language) => [language, aside] as const),
  ];
  return split.filter(([, count]) => count > 0);
}

function addModels(byModel: Map<Model, ModelTotal>, done: PersonDay): void {
  for (const { model, credits, input, output } of done.models) {
    const total = byModel.get(model) ?? {
      model_id: model.id,
      model_tier: model.tier,
      billable_tokens: 0,
      input_tokens: 0,
      output_tokens: 0,
    };
    total.billable_tokens += credits;
    total.input_tokens += input;
    total.output_tokens += output;
    byModel.set(model, total);
  }
}

function add<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
