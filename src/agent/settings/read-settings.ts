import path from 'node:path';
import * as z from 'zod';
import { url as address, duration, size } from '../../config/kinds.ts';
import { parseYaml } from '../../config/parse-yaml.ts';
import { list, refuse, section, text, validated, variableName, wholeNumber } from '../../config/validate.ts';
import type { YamlNode } from '../../config/yaml-node.ts';
import { readNow } from '../../files/local-file.ts';
import { suggestion } from '../../text/suggestion.ts';
import { waitingTypes } from '../event.ts';
import { expandHome } from '../paths.ts';
import { defaultDeadlineMs, standardLimits } from './basics.ts';
import { addresses, quietHours, secretOf, template, texts } from './values.ts';

const DEFAULT_PORTS = { tls: 465, starttls: 587, none: 25 } as const;
/** The template variables that are lengths. */
const LENGTHS = /\{(?:session|turn)_length\}/;

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
    // None is null, and disables those of the whole file.
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
      channels: texts,
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
        // The minimum is the duration of a start, the maximum what an agent waits.
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
