/** The arguments of the command as an agent runs it; `unknown` are those that mean nothing. */
export interface HookArguments {
  readonly config: string | undefined;
  readonly stateDir: string | undefined;
  readonly unknown: readonly string[];
}

/** Reads the arguments. It never refuses any: a hook must not stop the agent for a misspelt flag. */
export function readHookArguments(args: readonly string[]): HookArguments {
  const found = new Map<string, string>();
  const unknown: string[] = [];
  let flag: string | undefined;
  for (const argument of args) {
    if (flag !== undefined) {
      found.set(flag, argument);
      flag = undefined;
      continue;
    }
    const match = /^--(config|state-dir)(?:=(.*))?$/s.exec(argument);
    if (match?.[1] === undefined) unknown.push(argument.split('=', 1)[0] ?? '');
    else if (match[2] === undefined) flag = match[1];
    else found.set(match[1], match[2]);
  }
  return { config: found.get('config'), stateDir: found.get('state-dir'), unknown };
}
