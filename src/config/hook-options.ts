import type { Option } from './option.ts';

/** The options of `hook`. Agents use the first two; the others are for people. */
export const hookOptions = {
  config: {
    kind: 'file',
    section: 'Hook',
    description:
      'YAML file with channels, rules and the address to forward to. Defaults to ~/.config/agent-platform-exporter/hooks.yaml',
    command: 'hook',
  },
  'state-dir': {
    kind: 'file',
    section: 'Hook',
    description:
      'Directory of the log, the spooled events and the session starts. Defaults to a directory below ~/.local/state/agent-platform-exporter',
    command: 'hook',
  },
  check: {
    kind: 'boolean',
    section: 'Hook',
    description:
      'Validate and show the settings instead of reading an event. Exit code 2 if they are invalid',
    default: 'false',
    command: 'hook',
  },
  test: {
    kind: 'boolean',
    section: 'Hook',
    description: 'Send a sample through every channel instead of reading an event. Exit code 1 if one fails',
    default: 'false',
    command: 'hook',
  },
  flush: {
    kind: 'boolean',
    section: 'Hook',
    description: 'Send the spooled events instead of reading one. Exit code 1 if some are left',
    default: 'false',
    command: 'hook',
  },
} as const satisfies Record<string, Option>;

/** The options of `hook-config`. */
export const hookConfigOptions = {
  event: {
    kind: 'text',
    section: 'Hook configuration',
    description:
      'An event that runs the command. May be given several times. Defaults to the events that the exporter and the rules need',
    repeatable: true,
    command: 'hook-config',
  },
  command: {
    kind: 'text',
    section: 'Hook configuration',
    description: 'Command line that the agent runs. Defaults to this program',
    command: 'hook-config',
  },
  config: {
    kind: 'file',
    section: 'Hook configuration',
    description: 'Settings file for the command',
    command: 'hook-config',
  },
  timeout: {
    kind: 'integer',
    section: 'Hook configuration',
    description:
      'Seconds after which the agent stops the command; 5 for new entries. The command itself exits at its own deadline',
    min: '3',
    max: '60',
    command: 'hook-config',
  },
  write: {
    kind: 'boolean',
    section: 'Hook configuration',
    description: 'Merge into the file instead of printing. A backup of the file is kept beside it',
    default: 'false',
    command: 'hook-config',
  },
  file: {
    kind: 'file',
    section: 'Hook configuration',
    description: "The agent's hooks file that --write merges into. Defaults to ~/.factory/hooks.json",
    command: 'hook-config',
  },
} as const satisfies Record<string, Option>;
