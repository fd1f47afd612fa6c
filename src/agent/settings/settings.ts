import path from 'node:path';
import * as z from 'zod';
import { url as address, duration, size } from '../../config/kinds.ts';
import { quoted } from '../../config/parse.ts';
import { parseYaml } from '../../config/parse-yaml.ts';
import type { YamlNode } from '../../config/validate.ts';
import { list, refuse, section, text, validated, variableName, wholeNumber } from '../../config/validate.ts';
import { readNow } from '../../files/local-file.ts';
import { attempt } from '../../text/errors.ts';
import { suggestion } from '../../text/suggestion.ts';
import { waitingTypes } from '../event.ts';
import { expandHome } from '../paths.ts';
import { isTemplate } from '../template.ts';
import { defaultDeadlineMs, type Secret, standardLimits, weekdays } from './basics.ts';

/** The parsed settings file: plain JSON. Durations are in milliseconds. */
export type HookSettings = ReturnType<typeof readSettings>;

/** The settings of forwarding events to the exporter, which counts them. */
export type ForwardSettings = NonNullable<HookSettings['forward']>;

export type Channel = HookSettings['channels'][string];
export type ChannelOf<Type> = Extract<Channel, { type: Type }>;

/** Assigns events to channels and texts. An empty list of events, reasons or folders matches any. */
export type Rule = HookSettings['rules'][number];

/**
 * When a rule is silent: between two minutes of the day, where `to` below `from` is the next day. `days` (`mon` to `sun`, or
 * none for every day) are those on which the span begins.
 */
export type QuietHours = NonNullable<Rule['quiet']>;

const DEFAULT_PORTS = { tls: 465, starttls: 587, none: 25 } as const;
/** The template variables that are lengths. */
const LENGTHS = /\{(?:session|turn)_length\}/;

const DAY_MINUTES = 1440;

const ADDRESS = /^(?:[^<>\r\n]{0,200}<)?[^\s<>@,;]{1,64}@[^\s<>@,;]{1,253}>?$/;

/** A list of texts, or a single one. */
const texts = z.preprocess(
  (value) => (value === undefined || Array.isArray(value) ? value : [value]),
  z.array(text()),
);

const addresses = texts.refine((list) => list.length > 0 && list.every((item) => ADDRESS.test(item)), {
  error: 'must be an e-mail address, such as "Agents <agents@example.com>"',
});

const template = text().refine(isTemplate, {
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

/** Quiet hours; null for `none`, which disables the file's general quiet hours for one rule. */
const quietHours = z.preprocess(
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
      // From 24:00 is from 0:00.
      if (from === to || from % DAY_MINUTES === to) {
        refuse(context, 'begin and end at the same time', 'a whole day is from "00:00" to "24:00"');
      }
      return { from: from % DAY_MINUTES, to, days, timeZone: time_zone };
    })
    .nullable(),
);

/** Reads a settings file; throws a `ConfigError`, or the system's error if the file cannot be read. */
export function readSettingsFile(file: string, home: string) {
  return readSettings(parseYaml(readNow(file), file), home);
}

/** Reads the settings from a parsed file; throws a `ConfigError` that names file, line and key. */
export function readSettings(root: YamlNode, home: string) {
  const schema = settingsSchema(path.dirname(root.file), home);
  const settings = validated(schema, root, (key) => `${key} is missing`);
  const rules = settings.rules.map(({ quiet_hours: quiet = settings.quiet_hours, ...rule }) => ({
    ...rule,
    // `none` is read as null, and disables the file's general quiet hours.
    quiet: quiet ?? undefined,
  }));
  return {
    deadlineMs: settings.deadline,
    forward: settings.forward,
    channels: settings.channels,
    rules,
    needsLengths: rules.some(
      ({ minSessionMs, minTurnMs, title, message }) =>
        minSessionMs + minTurnMs > 0 || LENGTHS.test(`${title}${message}`),
    ),
  };
}

/** Paths are relative to the directory of the settings file, or to the home directory if they begin with `~`. */
export function settingsSchema(folder: string, home: string) {
  const file = text().transform((name) => path.resolve(folder, expandHome(name, home)));

  const forward = z
    .strictObject({
      url: address,
      token_file: file.optional(),
      token_env: variableName.optional(),
      ca_file: file.optional(),
      timeout: duration('10ms', '30s').default(1000),
      spool: section(
        z.strictObject({
          max_size: size('4KiB', '1GiB').default(standardLimits.maxBytes),
          // The exporter recognizes events that it has already counted for a week.
          max_age: duration('1s', '7d').default(standardLimits.maxAgeMs),
        }),
      ).optional(),
    })
    .transform(({ url, ca_file, timeout, spool, ...keys }, context) => ({
      url: url.endsWith('/hooks/events') ? url : `${url}/hooks/events`,
      token: secretOf('token', keys, context),
      caFile: ca_file,
      timeoutMs: timeout,
      spool: spool === undefined ? standardLimits : { maxBytes: spool.max_size, maxAgeMs: spool.max_age },
    }));

  const rule = z
    .strictObject({
      events: texts.default([]),
      reasons: texts.default([]),
      notification_types: texts.default([...waitingTypes]),
      min_session: duration('0', '30d').default(0),
      min_turn: duration('0', '30d').default(0),
      quiet_hours: quietHours.optional(),
      cwd: texts.default([]),
      channels: texts.refine((names) => names.length > 0, { error: 'must name a channel' }),
      title: template.optional(),
      message: template.optional(),
      send: texts.default([]),
    })
    .transform(({ cwd, min_session, min_turn, notification_types, ...rest }) => ({
      ...rest,
      notificationTypes: notification_types,
      folders: cwd.map((pattern) => expandHome(pattern, home)),
      minSessionMs: min_session,
      minTurnMs: min_turn,
    }));

  return section(
    z
      .strictObject({
        // The minimum is the time that a start takes, the maximum is the time that an agent waits.
        deadline: duration('100ms', '30s').default(defaultDeadlineMs),
        forward: forward.optional(),
        channels: section(channelsSchema(file)).default({}),
        quiet_hours: quietHours.optional(),
        rules: list(rule).default([]),
      })
      .superRefine(({ channels, rules }, context) => {
        const names = Object.keys(channels);
        for (const [index, { channels: used }] of rules.entries()) {
          const name = used.find((candidate) => !names.includes(candidate));
          if (name === undefined) continue;
          const at = ['rules', index, 'channels'];
          refuse(context, `unknown channel ${name.slice(0, 64)}`, suggestion(name, names), at);
        }
      }),
  );
}

function channelsSchema(file: z.ZodType<string>) {
  const urlFrom = { url_file: file.optional(), url_env: variableName.optional() };
  const chat = z
    .strictObject({ type: z.enum(['slack', 'teams', 'discord']), ...urlFrom })
    .transform(({ type, ...keys }, context) => ({ type, url: secretOf('url', keys, context) }));

  const email = z
    .strictObject({
      type: z.literal('email'),
      host: text(),
      port: wholeNumber(1, 65_535).optional(),
      security: z
        .enum(['tls', 'starttls', 'none'], { error: 'must be tls, starttls or none' })
        .default('starttls'),
      from: addresses,
      to: addresses,
      username: text().optional(),
      password_file: file.optional(),
      password_env: variableName.optional(),
      ca_file: file.optional(),
    })
    .transform(({ port, from, username, password_file, password_env, ca_file, ...rest }, context) => {
      const { security } = rest;
      if (username !== undefined && security === 'none') {
        const hint = 'set security to tls or starttls';
        refuse(context, 'passwords are not sent unencrypted', hint, ['username']);
      }
      if (username === undefined && (password_file ?? password_env) !== undefined) {
        refuse(context, 'username is missing');
      }
      const keys = { password_file, password_env };
      const login =
        username === undefined ? undefined : { username, password: secretOf('password', keys, context) };
      return { ...rest, port: port ?? DEFAULT_PORTS[security], from: from[0] ?? '', login, caFile: ca_file };
    });

  const webhook = z
    .strictObject({
      type: z.literal('webhook'),
      url: address.optional(),
      ...urlFrom,
      secret_file: file.optional(),
      secret_env: variableName.optional(),
      ca_file: file.optional(),
    })
    .transform(({ type, url, ca_file, ...keys }, context) => ({
      type,
      url: url ?? secretOf('url', keys, context),
      secret: secretOf('secret', keys, context),
      caFile: ca_file,
    }));

  const channel = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('desktop') }),
    // By default the included sound.
    z.strictObject({ type: z.literal('sound'), file: file.optional() }),
    chat,
    email,
    webhook,
  ]);
  return z.record(
    z.string().regex(/^[\w-]{1,64}$/, {
      error: 'channel names consist of letters, digits, dashes and underscores',
    }),
    channel,
    { error: ({ code }) => (code === 'invalid_type' ? 'must be a mapping of names to channels' : undefined) },
  );
}

/** The source of a secret: either a file or an environment variable. */
function secretOf<Name extends string>(
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
