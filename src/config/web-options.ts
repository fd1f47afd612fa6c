import type { Option } from './option.ts';

/** Commands that listen, and the one that validates their configuration. */
const serving = ['serve', 'demo', 'check-config'];

/** The shared options of what listens: the web server and its hook events. */
export const webOptions = {
  'web.listen-address': {
    kind: 'listen-address',
    section: 'Web',
    description: 'Listen address. Without a host, all interfaces; with port 0, any free port',
    default: ':9889',
    takenBy: [...serving, 'healthcheck'],
  },
  'web.telemetry-path': {
    kind: 'http-path',
    section: 'Web',
    description: 'Path of the metrics endpoint',
    default: '/metrics',
    takenBy: serving,
  },
  'web.max-connections': {
    kind: 'integer',
    section: 'Web',
    description:
      'Maximum number of simultaneous connections. A further connection replaces the one that has been idle longest. On Linux, a low limit of open files reduces it',
    default: '512',
    min: '8',
    max: '100000',
    takenBy: serving,
  },
  'web.enable-lifecycle': {
    kind: 'boolean',
    section: 'Web',
    description: 'Enable POST /-/refresh and POST /-/reload',
    default: 'false',
    takenBy: serving,
  },
  'web.allowed-hosts': {
    kind: 'host-name',
    section: 'Web',
    description:
      'Host names that requests may use; `*.example.com` allows all subdomains. Requests for other names are answered with 421, which prevents DNS rebinding; health checks may use any. IP addresses and localhost are always allowed. If not set, every name is allowed. Pages of these hosts may send lifecycle requests',
    repeatable: true,
    takenBy: serving,
  },
  'web.config.file': {
    kind: 'file',
    section: 'Web',
    description:
      'YAML file for TLS, client certificates, basic authentication and response headers, in the format of Prometheus exporters (docs/web-config.md)',
    takenBy: [...serving, 'healthcheck'],
    fileKey: ['web', 'config_file'],
  },
  'web.open-health': {
    kind: 'boolean',
    section: 'Web',
    description:
      'Serve /-/healthy and /-/ready without the password or client certificate that the web configuration file requires',
    default: 'false',
    takenBy: serving,
  },
  'hooks.requests-per-second': {
    kind: 'integer',
    section: 'Hook events',
    description:
      'Maximum number of requests per second to POST /hooks/events from one address, with a burst of ten seconds. Requires a hook token',
    default: '500',
    min: '1',
    max: '100000',
    takenBy: serving,
  },
} as const satisfies Record<string, Option>;
