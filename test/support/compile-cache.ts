import { fileURLToPath } from 'node:url';

/**
 * For the environment of programs under test: Node keeps their compiled code, so that each start of the sources costs a
 * third of the CPU time. A release has no such cache; what a program does is the same.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL('../../node_modules/.cache/agent-platform-exporter-tests', import.meta.url),
  ),
} as const;
