import { isRecord } from './event.ts';

/** A command as the agent's hooks configuration has it; `timeout` in seconds. */
export interface HookCommand {
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

/** The hooks configuration (section 6.3 of the contract) that runs a command at each of the events. */
export function agentConfig(events: readonly string[], { command, timeout }: HookCommand): Json {
  return mergeAgentConfig({}, events, { command, timeout });
}

/**
 * A hooks configuration with the command at each of the events. Everything else in it stays as it is, and so does its
 * order; an entry that runs this program already is brought up to date instead of being doubled. Throws an error in
 * plain words where the configuration has another shape.
 */
export function mergeAgentConfig(existing: Json, events: readonly string[], wanted: HookCommand): Json {
  // The same object also occurs as a member of the agent's other settings.
  const inner = existing['hooks'];
  if (isRecord(inner)) return { ...existing, hooks: mergeAgentConfig(inner, events, wanted) };
  const merged: Record<string, unknown> = { ...existing };
  for (const event of events) {
    const entries = Object.hasOwn(existing, event) ? existing[event] : [];
    if (!Array.isArray(entries)) throw new Error(`${event} is not a list of entries`);
    merged[event] = withCommand(entries, wanted);
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

/** Whether a command line runs this program's `hook`, wherever it is installed. */
function isOwn(line: unknown, command: string): boolean {
  return (
    line === command ||
    (typeof line === 'string' &&
      /(?:^|[\s"'/\\])agent-platform-exporter(?:\.js|\.cmd)?["']? hook(?: |$)/.test(line))
  );
}
