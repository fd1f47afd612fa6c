import { ConfigError } from '../runtime/errors.ts';
import { nearest } from './nearest.ts';
import {
  environmentPrefix,
  type OptionTable,
  type RawOption,
  type RawOptions,
  variableOf,
} from './option.ts';
import type { Environment } from './process-environment.ts';

export type { Environment } from './process-environment.ts';

/** The usual variables that name a proxy. */
export interface ProxyVariables {
  readonly HTTP_PROXY: string | undefined;
  readonly HTTPS_PROXY: string | undefined;
  readonly NO_PROXY: string | undefined;
}

/** The variable by which a build tells its source revision. */
export const revisionVariable = 'AGENT_PLATFORM_REVISION';

/** The source revision that this build was made from, `unknown` where the build did not tell. */
export function revisionOf(environment: Environment): string {
  return environment[revisionVariable] || 'unknown';
}

/** The proxy that the operator's environment names, in upper or lower case; curl and Go read the same variables. */
export function proxyOf(environment: Environment): ProxyVariables {
  return {
    HTTP_PROXY: environment['HTTP_PROXY'] ?? environment['http_proxy'],
    HTTPS_PROXY: environment['HTTPS_PROXY'] ?? environment['https_proxy'],
    NO_PROXY: environment['NO_PROXY'] ?? environment['no_proxy'],
  };
}

/** What the environment gives for a table of options; an empty variable counts as not set. */
export function optionsInEnvironment(environment: Environment, options: OptionTable): RawOptions {
  const given = new Map<string, RawOption>();
  for (const [name, option] of Object.entries(options)) {
    const variable = variableOf(name, option);
    const text = environment[variable];
    if (text === undefined || text === '') continue;
    const texts = option.repeatable ? text.split(',').map((part) => part.trim()) : [text];
    given.set(name, { texts, origin: variable });
  }
  return given;
}

// Kubernetes describes each Service of a namespace this way, and this exporter's own is called after it.
const serviceLink =
  /^AGENT_PLATFORM_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

// The prefix is left aside: it would make any two variables look alike.
function suggestionFor(variable: string, known: ReadonlySet<string>): string | undefined {
  const rests = [...known].map((name) => name.slice(environmentPrefix.length));
  const close = nearest(variable.slice(environmentPrefix.length), rests);
  return close === undefined ? undefined : `did you mean ${environmentPrefix}${close}?`;
}

/** Throws a `ConfigError` for a variable that has the exporter's prefix and is none of the known ones. */
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
