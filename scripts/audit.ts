// Queries the registry for known vulnerabilities in the packages installed with this one; exits with 1 if there are any.
// Not every registry has that service; if it is missing, this says so and succeeds, because it cannot be fixed here.
import { npm } from './npm.ts';

interface Report {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>;
  readonly statusCode?: number;
  readonly message?: string;
}

/** The answers of a registry without this service. */
const NO_SUCH_SERVICE = [404, 405, 410, 501];

const { output, code } = npm(['audit', '--omit=dev', '--package-lock-only', '--json']);
const report = read(output);
if (report.metadata !== undefined) {
  const found = Object.entries(report.vulnerabilities ?? {});
  for (const [name, { severity }] of found) console.log(`${name}: ${severity}`);
  console.log(found.length === 0 ? 'no known vulnerabilities' : `npm audit describes these ${found.length}`);
  process.exitCode = code;
} else if (report.statusCode !== undefined && NO_SUCH_SERVICE.includes(report.statusCode)) {
  console.log(`not checked: this registry has no audit service (it answered ${report.statusCode})`);
} else {
  console.error(`not checked: ${report.message ?? 'npm audit gave no report'}`);
  process.exitCode = 1;
}

function read(text: string): Report {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return {};
  }
}
