import { ConfigError } from '../text/errors.ts';
import { nearest } from '../text/suggestion.ts';
import { environmentPrefix, type OptionTable, optionOf, type RawOption, type RawOptions } from './option.ts';
import type { Environment } from './process-environment.ts';

export type { Environment } from './process-environment.ts';

/** The variable in which a build records its source revision. */
const revisionVariable = 'AGENT_PLATFORM_REVISION';

/** The source revision of this build, or `unknown`. */
export function revisionOf(environment: Environment): string {
  return environment[revisionVariable] || 'unknown';
}

/** The values that the environment gives for a table of options; an empty variable counts as not set. */
export function optionsInEnvironment(environment: Environment, options: OptionTable): RawOptions {
  const given = new Map<string, RawOption>();
  for (const [name, schema] of Object.entries(options)) {
    const { env, repeatable } = optionOf(schema);
    const text = environment[env];
    if (text === undefined || text === '') continue;
    const texts = repeatable === true ? text.split(',').map((part) => part.trim()) : [text];
    given.set(name, { texts, origin: env });
  }
  return given;
}

// Kubernetes describes each Service of a namespace with such variables, and the exporter's own Service has its name.
const serviceLink =
  /^AGENT_PLATFORM_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

// Without the prefix, which would make any two variables look similar.
function suggestionFor(variable: string, known: ReadonlySet<string>): string | undefined {
  const rests = [...known].map((name) => name.slice(environmentPrefix.length));
  const close = nearest(variable.slice(environmentPrefix.length), rests);
  return close === undefined ? undefined : `did you mean ${environmentPrefix}${close}?`;
}

/** Throws a `ConfigError` for an unknown variable with the exporter's prefix. */
export function refuseUnknownVariables(environment: Environment, known: ReadonlySet<string>): void {
  for (const variable of Object.keys(environment).sort()) {
    if (!variable.startsWith(environmentPrefix) || known.has(variable)) continue;
    if (variable === revisionVariable) continue;
    if (serviceLink.test(variable)) continue;
    throw new ConfigError(
      `unknown environment variable ${variable.slice(0, 100)}`,
      suggestionFor(variable, known) ??
        `variables that begin with ${environmentPrefix} are reserved for the exporter`,
    );
  }
}
