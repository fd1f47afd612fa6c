import * as z from 'zod';
import { quoted } from '../../config/parse.ts';
import { refuse, text } from '../../config/validate.ts';
import { attempt } from '../../text/errors.ts';
import { isTemplate } from '../template.ts';
import { type Secret, weekdays } from './basics.ts';

const DAY_MINUTES = 1440;

const ADDRESS = /^(?:[^<>\r\n]{0,200}<)?[^\s<>@,;]{1,64}@[^\s<>@,;]{1,253}>?$/;

/** A list of texts, or a single one. */
export const texts = z.preprocess(
  (value) => (value === undefined || Array.isArray(value) ? value : [value]),
  z.array(text()),
);

export const addresses = texts.refine((list) => list.length > 0 && list.every((item) => ADDRESS.test(item)), {
  error: 'must be an e-mail address, such as "Agents <agents@example.com>"',
});

export const template = text().refine(isTemplate, {
  error: 'has a brace that does not belong to a variable: write {{ and }} for braces',
});

/** A time of day, in minutes; unquoted, some YAML parsers read 22:00 as a number. */
const timeOfDay = z
  .string('must be a time of day in quotes, such as "22:00"')
  .regex(/^(?:([01]?\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day in quotes, such as "22:00"')
  .transform((value) => {
    const [hours, minutes] = value.split(':');
    return Number(hours) * 60 + Number(minutes);
  });

/** Quiet hours; null for `none`, which disables those of the whole file. */
export const quietHours = z.preprocess(
  (value) => (value === 'none' ? null : (value ?? {})),
  z
    .strictObject({
      from: timeOfDay,
      to: timeOfDay,
      days: texts
        .transform((names, context) =>
          names.map((name): string => {
            const day = weekdays.find((known) => known === name.toLowerCase().slice(0, 3));
            if (day === undefined) context.addIssue(`days are ${weekdays.join(', ')}`);
            return day ?? '';
          }),
        )
        .default([]),
      time_zone: text()
        .refine((name) => attempt(() => new Intl.DateTimeFormat('en-US', { timeZone: name })), {
          error: ({ input }) => `${quoted(String(input))} is not a time zone, such as Europe/Berlin or UTC`,
        })
        .optional(),
    })
    .transform(({ from, to, days, time_zone }, context) => {
      if (from === to) {
        refuse(context, 'begin and end at the same time', 'a whole day is from "00:00" to "24:00"');
      }
      return { from: from % DAY_MINUTES, to, days, timeZone: time_zone };
    })
    .nullable(),
);

/** The source of a secret: either a file or an environment variable. */
export function secretOf<Name extends string>(
  name: Name,
  keys: { readonly [Key in `${Name}_file` | `${Name}_env`]?: string | undefined },
  context: z.RefinementCtx,
): Secret {
  const { [`${name}_file` as const]: file, [`${name}_env` as const]: variable } = keys;
  if (file !== undefined && variable !== undefined) {
    refuse(context, `${name}_file is given too: remove one of them`, undefined, [`${name}_env`]);
  }
  if (file !== undefined) return { file };
  if (variable !== undefined) return { variable };
  const hint = 'secrets are not accepted in the file itself';
  return refuse(context, `${name}_file or ${name}_env is missing`, hint);
}
