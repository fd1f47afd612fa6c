// Apart from the other formats: its library need not be loaded by the hook.
import { validate } from 'node-cron';
import { orElse, textual } from './kinds.ts';
import { quoted } from './parse.ts';

const parse = orElse((text) => (validate(text) ? text : undefined), 'a cron schedule, such as 20 * * * *');

/** A cron expression of five fields. */
export const cron = textual('cron', (text) => {
  const expression = text.trim();
  const fields = expression.split(/\s+/).length;
  if (fields === 5) return parse(expression);
  // With six fields the first would be seconds: an hourly schedule would run every minute.
  return {
    problem: `${quoted(text)} has ${fields} ${fields === 1 ? 'field' : 'fields'}; a cron schedule has 5: minute, hour, day of month, month, day of week`,
  };
});
