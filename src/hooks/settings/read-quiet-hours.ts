import { quoted } from '../../config/parse.ts';
import { entriesOf, mistake, type Place, textOf } from '../../config/tree.ts';
import { isTimeZone } from '../quiet-hours.ts';
import { emptyIfAbsent, required, textsOf } from './read-values.ts';
import { type QuietHours, weekdays } from './settings.ts';

const keys = ['from', 'to', 'days', 'time_zone'] as const;
const dayMinutes = 1440;

/** Reads quiet hours; undefined where they are `none`, which lifts those of the whole file. */
export function readQuietHours(place: Place): QuietHours | undefined {
  if (place.tree.kind === 'text' && place.tree.text === 'none') return undefined;
  const entries = entriesOf(place, keys);
  const from = timeAt(required(place, entries, 'from'));
  const to = timeAt(required(place, entries, 'to'));
  if (from === to)
    throw mistake(place, 'begin and end at the same time', 'a whole day is from "00:00" to "24:00"');
  const days = entries.get('days');
  const zone = entries.get('time_zone');
  const timeZone = zone === undefined ? undefined : textOf(zone);
  if (zone !== undefined && timeZone !== undefined && !isTimeZone(timeZone)) {
    throw mistake(zone, `${quoted(timeZone)} is no time zone, such as Europe/Berlin or UTC`);
  }
  return {
    from: from % dayMinutes,
    to,
    days: emptyIfAbsent(days, (listed) => textsOf(listed).map((text) => dayAt(listed, text))),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}

function timeAt(place: Place): number {
  const text = place.tree.kind === 'text' ? place.tree.text : '';
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  const minutes = Number(match?.[1]) * 60 + Number(match?.[2]);
  // Without quotes some readers of YAML take 22:00 for a number.
  if (!(minutes <= dayMinutes) || Number(match?.[2]) > 59) {
    throw mistake(place, 'must be a time of the day in quotes, such as "22:00"');
  }
  return minutes;
}

function dayAt(place: Place, text: string): string {
  const day = weekdays.find((name) => name === text.toLowerCase().slice(0, 3));
  if (day === undefined) throw mistake(place, `days are ${weekdays.join(', ')}`);
  return day;
}
