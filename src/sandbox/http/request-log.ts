import type { SeenRequest } from '../types.ts';

/** The newest requests, oldest first. */
export interface RequestLog {
  add(request: SeenRequest): void;
  all(): readonly SeenRequest[];
}

/** Creates a log that forgets the oldest beyond `capacity`. */
export function createRequestLog(capacity: number): RequestLog {
  const seen: SeenRequest[] = [];
  return {
    add(request) {
      seen.push(request);
      if (seen.length > capacity) seen.shift();
    },
    all: () => [...seen],
  };
}
