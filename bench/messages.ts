import type { Identity } from '../src/config/people/labels.ts';
import type { PastSize } from './workload/past.ts';

/** What a started process says first: where it answers. */
export interface Ready {
  readonly port: number;
}

/** What a server under test is told. */
export interface ServerOptions {
  /** The file that holds the answer, for a server that only repeats it. */
  readonly answer?: string;
  /** How many series to have, for an exporter. */
  readonly series?: number;
}

/** What a server under test is asked; every question has one answer. */
export type Question =
  | { readonly kind: 'publish' }
  | { readonly kind: 'memory' }
  | { readonly kind: 'usage' };

/** One publication, from parsed rows to published bytes. */
export interface Publishing {
  readonly series: number;
  readonly milliseconds: number;
  /** The longest that the event loop was held, in milliseconds. */
  readonly stall: number;
}

/** Resident memory in bytes. */
export interface Memory {
  readonly resident: number;
  /** The most since the process began. */
  readonly peak: number;
}

/** An answer as every server under test sends it. */
export interface PreparedAnswer {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Base64. */
  readonly body: string;
}

/** What the load client is told to do. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /** Load goes on past its time until there are so many answers. */
  readonly leastAnswers: number;
}

/** What came of it. */
export interface LoadResult {
  /** Whole answers with status 200. */
  readonly answers: number;
  readonly perSecond: number;
  /** From the request's first byte to the answer's last, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Bytes of the last answer's body. */
  readonly bytes: number;
}

/** A backfill to files. */
export interface FileBackfill {
  readonly samples: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Writing the same bytes straight to one file. */
  readonly straightSeconds: number;
  /** Most resident memory in bytes, the store's included. */
  readonly peak: number;
}

export interface RemoteBackfillOptions extends PastSize {
  readonly url: string;
  /** Whether the requests are encoded before the time is taken. */
  readonly replayed: boolean;
}

/** A backfill by remote write, or its requests alone. */
export interface RemoteBackfill {
  readonly samples: number;
  readonly seconds: number;
  /** Most resident memory in bytes, the store's included. */
  readonly peak: number;
}

export interface PeopleReadingOptions {
  readonly users: number;
  readonly identity: Identity;
}

/** A day's people as the collector reads them, and the same bodies parsed by themselves: CPU seconds. */
export interface PeopleReading {
  readonly people: number;
  readonly pages: number;
  readonly readSeconds: number;
  readonly parseSeconds: number;
}

/** What a program has used in its life. */
export interface Usage {
  /** Of all its threads, in user and system mode. */
  readonly cpuSeconds: number;
  /** Most resident memory in bytes. */
  readonly peak: number;
}

/** What the simulated platform has done so far. */
export interface PlatformUsage {
  readonly cpuSeconds: number;
  readonly requests: number;
}
