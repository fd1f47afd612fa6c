import { isRecord as isObject } from './event.ts';

/** A command in the agent's hooks configuration; `timeout` in seconds. */
interface HookCommand {
  readonly command: string;
  readonly timeout: number;
}

/** The events that make sense together: those that begin a wait, those that end one, and the ends of tasks. */
export const defaultEvents = [
  'SessionStart',
  'UserPromptSubmit',
  'PostToolUse',
  'Notification',
  'Stop',
  'SubagentStop',
  'SessionEnd',
] as const;

type Json = Readonly<Record<string, unknown>>;

/** The agent's hooks configuration that runs a command at each of the events. */
export function agentConfig(events: readonly string[], { command, timeout }: HookCommand): Json {
  return mergeAgentConfig({}, events, { command, timeout });
}

/**
 * A hooks configuration with the command at each of the events. Everything else in it stays as it is, including the
 * order; an existing entry of this program is updated instead of duplicated. Throws an error in plain words if the
 * configuration has another shape.
 */
export function mergeAgentConfig(existing: Json, events: readonly string[], command: HookCommand): Json {
  // The same object also occurs as a member of the agent's other settings.
  const inner = existing['hooks'];
  if (isRecord(inner)) return { ...existing, hooks: mergeAgentConfig(inner, events, command) };
  if (Object.hasOwn(existing, 'hooks')) throw new Error('hooks is not an object of events');
  const merged: Record<string, unknown> = { ...existing };
  for (const event of events) {
    const entries = Object.hasOwn(existing, event) ? existing[event] : [];
    if (!Array.isArray(entries)) throw new Error(`${event} is not a list of entries`);
    merged[event] = withCommand(entries, command);
  }
  return merged;
}

function withCommand(entries: readonly unknown[], { command, timeout }: HookCommand): readonly unknown[] {
  const hook = { type: 'command', command, timeout };
  let found = false;
  const updated = entries.map((entry) => {
    if (!isRecord(entry) || !Array.isArray(entry['hooks'])) return entry;
    const hooks = entry['hooks'].map((other: unknown) => {
      if (!isRecord(other) || !isOwn(other['command'], command)) return other;
      found = true;
      return { ...other, ...hook };
    });
    return { ...entry, hooks };
  });
  return found ? updated : [...updated, { hooks: [hook] }];
}

/** Whether a command line runs this program's `hook`, regardless of how it is installed. */
function isOwn(line: unknown, command: string): boolean {
  return (
    line === command ||
    (typeof line === 'string' &&
      /(?:^|[\s"'/\\])agent-platform-exporter(?:\.js|\.cmd)?["']? hook(?: |$)/.test(line))
  );
}

/** JSON features of Node.js that TypeScript's types do not declare yet. */
interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, place: { source?: string }) => unknown): unknown;
  rawJSON(source: string): unknown;
  isRawJSON(value: unknown): boolean;
}

const exactJson = JSON as unknown as ExactJson;

/** Parses JSON so that numbers keep their spelling, such as integers beyond 2^53. */
export function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value)
      ? exactJson.rawJSON(source)
      : value,
  );
}

/** A number that keeps its spelling is an object too, but has no members. */
function isRecord(value: unknown): value is Json {
  return isObject(value) && !exactJson.isRawJSON(value);
}
