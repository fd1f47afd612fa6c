import { ConfigError } from '../runtime/errors.ts';
import { type Credential, createFileCredential, createFixedCredential } from './credential.ts';
import type { Environment } from './environment.ts';
import type { Files } from './files.ts';

/** Settings of the hook intake. */
export interface HooksConfig {
  /** The bearer token of senders; without one, no events are accepted. */
  readonly token: Credential | undefined;
  /** Per client address. */
  readonly requestsPerSecond: number;
}

const tokenVariable = 'AGENT_PLATFORM_HOOKS_TOKEN';
const fileVariable = 'AGENT_PLATFORM_HOOKS_TOKEN_FILE';

/** The source of the hook token, read once; rejects with a `ConfigError` if the token is invalid. */
export async function readHooksToken(
  environment: Environment,
  files: Files,
): Promise<Credential | undefined> {
  const token = environment[tokenVariable] || undefined;
  const file = environment[fileVariable] || undefined;
  if (token !== undefined && file !== undefined) {
    throw new ConfigError(`${tokenVariable} and ${fileVariable} are both set`, 'set only one of them');
  }
  if (token !== undefined) return createFixedCredential(token, tokenVariable);
  if (file === undefined) return undefined;
  return createFileCredential(file, `${file} (${fileVariable})`, files);
}
