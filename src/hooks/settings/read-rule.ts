import { suggestion } from '../../config/nearest.ts';
import { entriesOf, mistake, type Place, textOf } from '../../config/tree.ts';
import { expandHome } from '../places.ts';
import { problemOfTemplate } from '../template.ts';
import { cwdPattern } from './cwd-pattern.ts';
import { readQuietHours } from './read-quiet-hours.ts';
import { durationAt, emptyIfAbsent, required, textsOf } from './read-values.ts';
import type { Rule } from './settings.ts';

const keys = [
  'events',
  'reasons',
  'min_session',
  'min_turn',
  'quiet_hours',
  'cwd',
  'channels',
  'title',
  'message',
  'send',
] as const;

const month = { least: 0, most: 2_592_000_000, standard: 0 };

/** What rules are read with. */
export interface RuleSurroundings {
  /** The quiet hours of rules without their own. */
  readonly quiet: Place | undefined;
  /** The names of the channels there are. */
  readonly channels: readonly string[];
  readonly home: string;
}

/** Reads one rule. */
export function readRule(place: Place, { quiet, channels, home }: RuleSurroundings): Rule {
  const entries = entriesOf(place, keys);
  const named = required(place, entries, 'channels');
  for (const name of textsOf(named)) {
    if (channels.includes(name)) continue;
    throw mistake(named, `there is no channel ${name.slice(0, 64)}`, suggestion(name, channels));
  }
  const quietPlace = entries.get('quiet_hours') ?? quiet;
  const quietHours = quietPlace === undefined ? undefined : readQuietHours(quietPlace);
  const [title, message] = [templateAt(entries.get('title')), templateAt(entries.get('message'))];
  return {
    events: emptyIfAbsent(entries.get('events'), textsOf),
    reasons: emptyIfAbsent(entries.get('reasons'), textsOf),
    folders: emptyIfAbsent(entries.get('cwd'), textsOf).map((text) => cwdPattern(expandHome(text, home))),
    minSessionMs: durationAt(entries.get('min_session'), month),
    minTurnMs: durationAt(entries.get('min_turn'), month),
    ...(quietHours === undefined ? {} : { quiet: quietHours }),
    channels: textsOf(named),
    ...(title === undefined ? {} : { title }),
    ...(message === undefined ? {} : { message }),
    send: emptyIfAbsent(entries.get('send'), textsOf),
  };
}

function templateAt(place: Place | undefined): string | undefined {
  if (place === undefined) return undefined;
  const text = textOf(place);
  const problem = problemOfTemplate(text);
  if (problem !== undefined) throw mistake(place, problem);
  return text;
}
