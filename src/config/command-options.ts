import type { Option } from './option.ts';

/** The options of `sandbox` alone. */
export const sandboxOptions = {
  'listen-address': {
    kind: 'listen-address',
    section: 'Sandbox',
    description: 'Where the simulated platform listens',
    default: '127.0.0.1:9890',
    command: 'sandbox',
  },
  orgs: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'How many organizations are simulated',
    default: '1',
    min: '1',
    max: '1000',
    command: 'sandbox',
  },
  users: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'How many people an organization has',
    default: '40',
    min: '0',
    max: '200000',
    command: 'sandbox',
  },
  repos: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'How many repositories an organization has',
    default: '12',
    min: '0',
    max: '50000',
    command: 'sandbox',
  },
  days: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'How many of the newest days exist; all since 2026-01-14 where not given',
    min: '1',
    max: '3660',
    command: 'sandbox',
  },
  seed: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'Other figures for another seed, the same figures for the same',
    default: '1',
    min: '0',
    max: '4294967295',
    command: 'sandbox',
  },
  fault: {
    kind: 'text',
    section: 'Sandbox',
    description: 'A fault to simulate, such as 429=0.1 or missing-yesterday; may be given several times',
    repeatable: true,
    command: 'sandbox',
  },
} as const satisfies Record<string, Option>;

/** The options of `healthcheck` alone. */
export const healthcheckOptions = {
  url: {
    kind: 'url',
    section: 'Health check',
    description: 'Address to ask instead of the one that follows from --web.listen-address, without its path',
    command: 'healthcheck',
  },
} as const satisfies Record<string, Option>;
