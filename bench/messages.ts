import type { Identity } from '../src/config/people/labels.ts';
import type { PastSize } from './workload/past.ts';

/** The first message of a started process: where it listens. */
export interface Ready {
  readonly port: number;
}

/** The options of a server under test. */
export interface ServerOptions {
  /** The file that contains the answer, for a server that only repeats it. */
  readonly answer?: string;
  /** The number of series, for an exporter. */
  readonly series?: number;
}

/** Requests to a server under test; each has one reply. */
export type Question =
  | { readonly kind: 'publish' }
  | { readonly kind: 'memory' }
  | { readonly kind: 'usage' }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

/** The platform's answers so far by status; 0 if it closed the connection. */
export type PlatformAnswers = readonly (readonly [status: number, count: number])[];

/** One publication, from parsed rows to published bytes. */
export interface Publishing {
  readonly series: number;
  readonly milliseconds: number;
  /** The longest time that the event loop was blocked, in milliseconds. */
  readonly stall: number;
}

/** Resident memory in bytes. */
export interface Memory {
  readonly resident: number;
  /** The maximum since the process started. */
  readonly peak: number;
}

/** An answer as every server under test sends it. */
export interface PreparedAnswer {
  /** Alternating names and values. */
  readonly headers: readonly string[];
  /** Base64. */
  readonly body: string;
}

/** A load to run. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /** The load continues beyond its time until there are this many answers. */
  readonly minAnswers: number;
}

/** The result of a load. */
export interface LoadResult {
  /** From the first request's first byte to the last answer's last. */
  readonly seconds: number;
  /** Of each complete answer with status 200: from the request's first byte to the answer's last, in milliseconds. */
  readonly times: readonly number[];
  /** Bytes of the last answer's body. */
  readonly bytes: number;
}

/** Asks the program that listens there from now on; without a port, ends that and tells what was answered. */
export interface Asking {
  readonly port?: number;
}

/** Answers to both routes since asking began, in milliseconds. */
export interface Answered {
  readonly p99: number;
  readonly slowest: number;
}

/** For how long the event loop of a program was blocked, in milliseconds: of its turns of 5 ms and longer. */
export interface Stalls {
  readonly p999: number;
  readonly longest: number;
  /** The CPU time of its main thread in a turn, at the 99.9th percentile. */
  readonly ran: number;
}

/** A backfill to files. */
export interface FileBackfill {
  readonly samples: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Writing the same bytes directly to one file. */
  readonly straightSeconds: number;
  /** Most resident memory in bytes, the store's included. */
  readonly peak: number;
}

export interface RemoteBackfillOptions extends PastSize {
  readonly url: string;
  /** Whether the requests are encoded before the measurement starts. */
  readonly replayed: boolean;
  /** Whether it has a processor of its own, and the receiver another one. */
  readonly apart: boolean;
}

/** A backfill by remote write, or only its requests. */
export interface RemoteBackfill {
  readonly samples: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Most resident memory in bytes, the store's included. */
  readonly peak: number;
}

export interface PeopleReadingOptions {
  readonly users: number;
  readonly identity: Identity;
}

/** CPU seconds of reading a day's people as the collector does, and of only parsing the same bodies. */
export interface PeopleReading {
  readonly people: number;
  readonly pages: number;
  readonly readSeconds: number;
  readonly parseSeconds: number;
}

/** The total resource usage of a program. */
export interface Usage {
  /** CPU time of all threads, in user and system mode. */
  readonly cpuSeconds: number;
  /** Peak resident memory in bytes. */
  readonly peak: number;
}

/** The work of the simulated platform so far. */
export interface PlatformUsage {
  readonly cpuSeconds: number;
  readonly requests: number;
}
