import { between, createRandom, lognormal, mix, type Random, unit } from '../random.ts';
import type { Conditions } from './conditions.ts';
import { type Model, modelAt } from './models.ts';
import { type DelegationLevel, delegationOn, type Person } from './people.ts';

/** The figures of a day that can be summed over people. */
export const figures = [
  'credits',
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'toolCalls',
  'mcpCalls',
  'skillCalls',
  'slashCommands',
  'hooks',
  'sessions',
  'userMessages',
  'assistantMessages',
  'filesCreated',
  'filesEdited',
  'commits',
  'pullRequests',
] as const;
type Figures = Readonly<Record<(typeof figures)[number], number>>;

/** Everything one person did on one day. */
export interface PersonDay extends Spending, Figures {
  readonly person: Person;
  readonly delegation: DelegationLevel;
  readonly model: Model;
  readonly terminal: boolean;
  readonly web: boolean;
  readonly headless: boolean;
}

/** `idle` people have a row of zeros in `/users`: they signed in and did nothing. */
type Presence = 'active' | 'idle' | 'absent';

/** Whether a person worked that day; cheap enough for months of days and thousands of people. */
export function presence(person: Person, on: Conditions): Presence {
  if (on.day < person.joined) return 'absent';
  if (person.founder && (on.edition > 0 || on.steady)) return 'active';
  if (person.runaway && on.circling > 1) return 'active';
  const drawn = unit(person.seed, on.day);
  const likely = person.diligence * on.attendance;
  if (drawn < likely) return 'active';
  return on.attendance > 0 && drawn < likely + 0.01 ? 'idle' : 'absent';
}

/** A person's figures of a day; undefined if there is no row. */
export function personDay(person: Person, on: Conditions): PersonDay | undefined {
  const there = presence(person, on);
  if (there === 'absent') return undefined;
  const random = createRandom(mix(person.seed, on.day + 0x5eed));
  return there === 'idle' ? idleDay(person, on) : activeDay(person, on, random);
}

function activeDay(person: Person, on: Conditions, random: Random): PersonDay {
  const scale = completeness(on, random);
  const work = person.volume * lognormal(random, 0.35) * on.growth * scale;
  const circling = person.runaway ? on.circling : 1;
  const sessions = Math.max(1, Math.round(2.4 * work));
  const autonomy = person.autonomy * between(random, 0.7, 1.3);
  // Rounding must not hide a revision, not even on a day with hardly anyone at work.
  const revised = person.founder ? Math.max(0, on.edition) : 0;
  const userMessages = Math.max(1, Math.round(15 * work)) + revised;
  const toolCalls = Math.round(userMessages * autonomy) + revised;
  const filesEdited = Math.round(toolCalls * between(random, 0.05, 0.16)) + revised;
  const model = preferredModel(person, on, random);
  const headless = random() < person.headless;
  const web = random() < person.web;
  return {
    person,
    delegation: delegationOn(person, random),
    model,
    toolCalls,
    mcpCalls: Math.round(toolCalls * person.mcp * between(random, 0.2, 1)),
    skillCalls: Math.round(sessions * between(random, 0, 0.9)),
    slashCommands: Math.round(sessions * between(random, 0, 1.6)),
    hooks: Math.round(toolCalls * person.hooks),
    sessions,
    userMessages,
    assistantMessages: Math.round(userMessages * between(random, 1.05, 1.9)),
    filesCreated: Math.round(filesEdited * between(random, 0.05, 0.4)),
    filesEdited,
    commits: Math.round(filesEdited * between(random, 0.05, 0.25)),
    pullRequests: Math.round(filesEdited * between(random, 0, 0.07)),
    terminal: !(web || headless) || random() < 0.8,
    web,
    headless,
    ...spend(15 * work * (1 + autonomy) * circling, model, on, random),
  };
}

function idleDay(person: Person, on: Conditions): PersonDay {
  return {
    person,
    delegation: person.delegation,
    model: modelAt(on.mix, unit(person.seed, 1)),
    models: [],
    ...noFigures(),
    terminal: false,
    web: false,
    headless: false,
  };
}

/** All figures at 0. */
export function noFigures(): Record<keyof Figures, number> {
  return Object.fromEntries(figures.map((name) => [name, 0])) as Record<keyof Figures, number>;
}

/** Most people keep their choice, so that the overall mix changes without jumps. */
function preferredModel(person: Person, on: Conditions, random: Random): Model {
  const drawn = random();
  return modelAt(on.mix, drawn < 0.25 ? drawn * 4 : unit(person.seed, 1));
}

/** Up to 15 % of an incomplete day is to come within a week of hours; each revision adds about 2 %. */
function completeness({ edition }: Conditions, random: Random): number {
  const late = random();
  return edition < 0 ? 1 + (0.15 / 168) * edition * late : 1 + 0.02 * edition * (0.5 + late);
}

/** Credits and raw tokens; the sums of the models are the totals. */
type Spending = Readonly<ReturnType<typeof spend>>;

/** The tokens and credits of a number of model calls, most of them to the preferred model. */
function spend(calls: number, preferred: Model, on: Conditions, random: Random) {
  const second = modelAt(on.mix, random());
  const share = random() < 0.55 || second === preferred ? 1 : between(random, 0.62, 0.95);
  const input = Math.round(calls * between(random, 14_000, 26_000));
  const output = Math.round(calls * between(random, 220, 480));
  const cached = between(random, 0.82, 0.93);
  const models = [spendOn(preferred, share, input, output, cached)];
  if (share < 1) {
    const [first] = models;
    models.push(spendOn(second, 1, input - (first?.input ?? 0), output - (first?.output ?? 0), cached));
  }
  return {
    /** Most used first. */
    models,
    credits: models.reduce((sum, one) => sum + one.credits, 0),
    input,
    output,
    cacheRead: Math.round(input * cached),
    cacheWrite: Math.round(input * (1 - cached) * 0.6),
  };
}

/** The usage of one model. */
function spendOn(model: Model, share: number, allInput: number, allOutput: number, cached: number) {
  const input = Math.round(allInput * share);
  const output = Math.round(allOutput * share);
  const discounted = input * (1 - cached) + input * cached * 0.1 + output * 4;
  return { model, credits: Math.round(discounted * model.rate), input, output };
}
