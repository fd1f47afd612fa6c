import { userInfo } from 'node:os';
import path from 'node:path';
import type { Environment } from '../config/process-environment.ts';
import { attempt } from '../text/errors.ts';

/** The files and directories of the hook command. */
export interface HookPaths {
  /** The settings file; `named` if the user chose it, so that its absence is an error. */
  readonly config: { readonly file: string; readonly named: boolean };
  /** The directory of spool, log, cache, session starts and claimed events. */
  readonly state: string;
  readonly home: string;
}

const program = 'agent-platform-exporter';

/** The paths given by flag, by environment variable, or below the home directory by the XDG rules. */
export function findPaths(
  given: { readonly config: string | undefined; readonly stateDir: string | undefined },
  environment: Environment,
): HookPaths {
  const home = absolute(environment['HOME']) ?? absolute(environment['USERPROFILE']) ?? ownHome();
  const chosen = given.config || environment['AGENT_PLATFORM_HOOK_CONFIG'];
  const folder = absolute(environment['XDG_CONFIG_HOME']) ?? path.join(home, '.config');
  const file = path.resolve(chosen ? expandHome(chosen, home) : path.join(folder, program, 'hooks.yaml'));
  const state = given.stateDir || environment['AGENT_PLATFORM_HOOK_STATE_DIR'];
  const states = absolute(environment['XDG_STATE_HOME']) ?? path.join(home, '.local', 'state');
  return {
    config: { file, named: Boolean(chosen) },
    // Another settings file may forward to another address: events spooled for one must not go to the other.
    state: state
      ? path.resolve(expandHome(state, home))
      : path.join(states, program, chosen ? path.join('hooks-of', file.replaceAll(':', '%3A')) : 'hooks'),
    home,
  };
}

/** A path with a leading `~/` replaced by the home directory. */
export function expandHome(text: string, home: string): string {
  return text === '~' || text.startsWith('~/') ? path.join(home, text.slice(1)) : text;
}

// Never uses the working directory: it is often a repository, with settings of somebody else.
function ownHome(): string {
  // Fails if the system does not know the user.
  return attempt(() => userInfo().homedir) ?? path.resolve('/');
}

// The XDG rules require that relative paths are ignored.
function absolute(text: string | undefined): string | undefined {
  return text !== undefined && path.isAbsolute(text) ? text : undefined;
}

/**
 * Parses the arguments with which an agent runs the command. Returns `unknown` arguments instead of failing: a misspelt flag must
 * not stop the agent.
 */
export function readHookArguments(args: readonly string[]) {
  const found = new Map<string, string | undefined>();
  const unknown: string[] = [];
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [, flag, value] = /^--(config|state-dir)(?:=(.*))?$/s.exec(argument) ?? [];
    if (flag === undefined) unknown.push(argument.replace(/=.*/s, ''));
    else found.set(flag, value ?? rest.shift());
  }
  return { config: found.get('config'), stateDir: found.get('state-dir'), unknown };
}
