import type { DatasetName } from '../catalog/dataset.ts';
import { addDays, yesterdayOf } from '../catalog/day.ts';
import type { Platform } from '../catalog/platform.ts';
import type { ApiAnswer, ApiRequest, ConfiguredOrg } from '../catalog/source.ts';
import type { IdentityOfAnswers, Send } from '../client/client.ts';
import type { Logger } from '../log/logger.ts';
import { type Store, UNCONFIRMED } from '../store/store.ts';
import { PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { createSerialQueue } from '../work/serial-queue.ts';

/** The settings of an identity check. */
interface IdentitySettings {
  /** The configured identifier, as a label value. */
  readonly orgId: string | undefined;
  /** The collected endpoints whose answers name the organization. */
  readonly endpoints: readonly DatasetName[];
  readonly platform: Pick<Platform, 'orgIdIn' | 'probe' | 'identityAlone'>;
  readonly configured: ConfiguredOrg;
  /** Whether a stored identifier belongs to the configured platform. */
  isOwn(orgId: string): boolean;
  /** Whether stored data without an identifier belongs to this organization, or to another one. */
  readonly unnamed: 'ours' | 'foreign';
}

/** An identity check whose settings may change. */
export interface IdentityCheck extends IdentityOfAnswers {
  /** Applies other settings from the next answer on. */
  use(settings: IdentitySettings): void;
}

interface IdentityParts extends IdentitySettings {
  /** The organization's name, as its `org` label. */
  readonly org: string;
  readonly history: Pick<Store, 'standing' | 'adopt' | 'putConfirmedKey'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Accepts only answers of one organization: the configured one, or else the organization of the first answer that names one.
 * An answer that names no organization is accepted once an analytics answer to the same key has confirmed the organization; if
 * none has, the check requests one. Some platforms may never name an organization. For them the check uses a coarser identifier
 * (`identityAlone`) until an answer names the organization.
 */
export function createIdentityCheck(parts: IdentityParts): IdentityCheck {
  const { org, history, clock, log } = parts;
  let settings: IdentitySettings = parts;
  // Of concurrent first answers, one decides.
  const queue = createSerialQueue();
  let probing: Promise<void> | undefined;

  /** The stored identifier and confirmed key. If another identifier is configured, stores that one first. */
  async function known() {
    const { orgId: configured, isOwn, unnamed } = settings;
    const { orgId, confirmedKey } = await history.standing(org);
    if (configured === orgId || (configured === undefined && isOwn(orgId ?? '')))
      return { orgId, confirmedKey };
    await history.adopt(org, configured, unnamed);
    return { orgId: configured, confirmedKey: UNCONFIRMED };
  }

  /** Stores the first identifier that an answer names, confirms the key if the identifier matches, and returns the one in force. */
  async function note(named: string, key: string | undefined): Promise<string> {
    if (!settings.isOwn(named)) throw ofAnotherPlatform(named);
    const { orgId, confirmedKey } = await known();
    const alone = settings.platform.identityAlone?.(settings.configured);
    const isNew = orgId === undefined || (orgId === alone && orgId !== named);
    const isOurs = isNew || orgId === named || (named === alone && orgId.startsWith(`${alone}:`));
    if (isNew) await history.adopt(org, named, settings.unnamed);
    if (isNew && named === alone)
      log.warn('No answer names the organization of the key', { org, hint: ALONE_HINT });
    const confirmed = isOurs ? key : UNCONFIRMED;
    if (key !== undefined && (isNew || confirmed !== confirmedKey))
      await history.putConfirmedKey(org, confirmed ?? UNCONFIRMED);
    return isOurs ? named : orgId;
  }

  /** Asks the analytics endpoints in turn until one confirms its key. */
  async function probe(send: Send): Promise<void> {
    const { platform, endpoints, configured } = settings;
    for (const endpoint of endpoints) {
      // One day that is over in every time zone.
      const request = platform.probe?.(endpoint, addDays(yesterdayOf(clock.now()), -1));
      const answer = await (request && send(request).catch(() => undefined));
      const named = answer && platform.orgIdIn(endpoint, answer, configured);
      if (named !== undefined && (await queue.run(() => note(named, answer?.key))) === named) return;
    }
  }

  async function acceptNamed(named: string, key: string | undefined): Promise<void> {
    const orgId = await queue.run(() => note(named, key));
    if (orgId !== named) throw foreign(org, orgId, named);
  }

  async function acceptUnnamed(key: string | undefined, send: Send): Promise<void> {
    const isConfirmed = async () => {
      const { orgId, confirmedKey } = await known();
      return orgId === undefined || key === undefined || confirmedKey === key;
    };
    const { platform, endpoints, configured } = settings;
    const alone = platform.identityAlone?.(configured);
    if (alone !== undefined) return acceptNamed(alone, key);
    if (platform.probe === undefined || endpoints.length === 0 || (await isConfirmed())) return;
    // All waiting answers share one probe.
    probing ??= probe(send).finally(() => {
      probing = undefined;
    });
    await probing;
    if (!(await isConfirmed())) throw unconfirmed((await known()).orgId ?? '');
  }

  return {
    use(next) {
      settings = next;
    },
    async accept({ endpoint }: ApiRequest, answer: ApiAnswer, send) {
      const { key } = answer;
      const named = settings.endpoints.includes(endpoint)
        ? settings.platform.orgIdIn(endpoint, answer, settings.configured)
        : undefined;
      return named === undefined ? acceptUnnamed(key, send) : acceptNamed(named, key);
    },
  };
}

const ALONE_HINT =
  'Figures of another organization of the same kind could not be told apart. Set org_id in the configuration file or --api.org-id.';

function foreign(org: string, known: string, named: string): PlatformError {
  return new PlatformError(
    'organization',
    `the answer is from the organization ${named}, but the history of ${org} belongs to ${known}`,
    {
      hint: `The answer is not used. Restore the key of ${known}. If ${named} is intended, set it with org_id in the configuration file or --api.org-id: the history of ${known} is then set aside, and restored with its id.`,
    },
  );
}

function ofAnotherPlatform(named: string): PlatformError {
  return new PlatformError(
    'organization',
    `the answer is from ${named}, an organization on another platform`,
    {
      hint: 'The answer is not used: check that base_url is the address of the configured platform.',
    },
  );
}

function unconfirmed(orgId: string): PlatformError {
  return new PlatformError(
    'organization',
    `this answer names no organization, and no analytics answer has confirmed that the key belongs to ${orgId}`,
    {
      hint: 'It is used once an analytics endpoint has answered with this key: check why those collectors fail. A key of another organization requires its org_id in the configuration file or --api.org-id.',
    },
  );
}
