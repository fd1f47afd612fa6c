import type { ApiFields } from './api-contract.ts';
import type { Readers } from './collector.ts';
import type { DatasetName } from './dataset.ts';
import type { Day } from './day.ts';
import type { DayRules } from './day-rules.ts';
import type { FocusNames, PlatformMoney } from './money.ts';
import type { ApiAnswer, ApiRequest, ConfiguredOrg } from './source.ts';

/** The keys of an organization that only some platforms have. */
export type OrgKey = 'app_url' | 'org_id' | 'prices' | 'account' | 'kind' | 'link_hosts';

/** How an organization on a platform is configured. */
interface OrgConfiguration {
  /** The API host where none is configured. */
  readonly baseUrl?: string | undefined;
  readonly keys: readonly OrgKey[];
  readonly needs?: readonly OrgKey[];
  /** The values of `kind`; the first is the default. */
  readonly kinds?: readonly string[];
  /** The beginning of all paths where an address may end with it by mistake, and what follows it. */
  readonly ownPath?: { readonly pattern: RegExp; readonly example: string };
  /** What is wrong with an address or an account, as a sentence. */
  accepts?(
    org: Pick<ConfiguredOrg, 'account' | 'baseUrl'>,
  ): { readonly key: 'account' | 'base_url'; readonly message: string } | undefined;
}

/** A refused request, as its answer says it. */
export interface Refusal {
  readonly status: number;
  readonly said: string;
  header(name: string): string | undefined;
  /** By the platform's own clock, in milliseconds since the epoch. */
  readonly now: number;
}

/** A request that failed with a status, and what its error says. */
export interface Failed {
  readonly status: number;
  readonly message: string;
}

/** One vendor: what it has, how it is asked, and what its answers mean. */
export interface Platform {
  /** The value of `orgs[].platform`. */
  readonly name: string;
  /** What a person reads. */
  readonly title: string;
  readonly configuration: OrgConfiguration;
  readonly money: PlatformMoney;
  /** Who is behind its charges. */
  readonly focus: FocusNames;
  /** Loads the reader of a dataset on first use. What a platform lacks has none: no job, no series, nothing uncovered. */
  readonly readers: Readers;
  readonly days: { readonly [Name in DatasetName]?: DayRules };
  readonly fields: { readonly [Name in DatasetName]?: ApiFields };
  /** Itself as an organization of this kind has it, where kinds differ. */
  ofKind?(kind: string): Platform;
  /** How many requests a minute it accepts from all entries of one organization together; the configured rate alone by default. */
  readonly requestsPerMinute?: number;
  /** The headers of a request for a path with this key. */
  headers(key: string, path: string): Readonly<Record<string, string>>;
  /** Suffixes of other hosts that its answers may name. */
  readonly linkHosts: readonly string[];
  /** What an operator can do about a refused request; `said` is the message of its answer. */
  advice(status: number, said: string, endpoint?: DatasetName): string | undefined;
  /** How many seconds to wait, if a refusal is about the rate and its status and `Retry-After` do not say so already. */
  pauseOf?(refusal: Refusal): number | undefined;
  /** Whether a refused request asked for a day that the platform does not have yet: its newest day, if the answer names that. */
  isNotYet(failed: Failed): boolean | string;
  /** Whose figures an organization's are, where the configuration says it; else the first answer that names one. */
  identityOf(org: ConfiguredOrg): string | undefined;
  /** Whose figures an organization's are that neither the configuration nor any answer names. */
  identityAlone?(org: ConfiguredOrg): string;
  /** The identifier of the organization that an answer is about, as a label value; undefined if it names none. */
  orgIdIn(
    endpoint: DatasetName,
    answer: Pick<ApiAnswer, 'body' | 'header'>,
    org: ConfiguredOrg,
  ): string | undefined;
  /** The smallest request about a day whose answer names the organization; none where the configuration names it. */
  probe?(endpoint: DatasetName, day: Day): ApiRequest;
}
