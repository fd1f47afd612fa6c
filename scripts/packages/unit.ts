/**
 * The unit of the Debian and RPM packages: that of packaging/, with the package's own user, configuration file and path.
 * Throws if a line to change is missing.
 */
export function packagedUnit(unit: string): string {
  const edits: readonly (readonly [pattern: RegExp, replacement: string])[] = [
    [/^EnvironmentFile=.*$/m, 'EnvironmentFile=-/etc/default/agent-platform-exporter'],
    [/(?:^#.*\n)+LoadCredential=.*\nEnvironment=AGENT_PLATFORM_API_KEY_FILE=.*\n/m, ''],
    [
      /^ExecStart=.*$/m,
      'ExecStart=/usr/bin/agent-platform-exporter serve --config.file=/etc/agent-platform-exporter/config.yaml',
    ],
    [/^DynamicUser=yes$/m, 'User=agent-platform-exporter\nGroup=agent-platform-exporter'],
  ];
  return edits.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text)) throw new Error(`the unit has no ${pattern}`);
    return text.replace(pattern, replacement);
  }, unit);
}
