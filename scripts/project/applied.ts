import { documentUrl, imageParts, type Project, schemaUrl } from './project.ts';

type Edit = readonly [pattern: RegExp, replacement: string];

/** The files that contain the project's URL, package name or author, and how each is changed. */
export function projectFiles(project: Project): Readonly<Record<string, readonly Edit[]>> {
  const { registry, repository } = imageParts(project);
  const runbook = documentUrl(project, 'docs/runbook.md');
  const quoted = JSON.stringify;
  return {
    'package.json': [
      [/(^ {2}"name": ).*(?=,$)/m, quoted(project.package)],
      [/(^ {2}"homepage": ).*(?=,$)/m, quoted(`${project.repository}#readme`)],
      [/(^ {2}"bugs": ).*(?=,$)/m, quoted(`${project.repository}/issues`)],
      [/(^ {4}"url": ).*$/m, quoted(`git+${project.repository}.git`)],
      [/(^ {2}"author": ).*(?=,$)/m, quoted(`${project.author} <${project.contact}>`)],
    ],
    'package-lock.json': [
      [/(^ {2}"name": ).*(?=,$)/m, quoted(project.package)],
      [/(^ {4}"": \{\n {6}"name": ).*(?=,$)/m, quoted(project.package)],
    ],
    Dockerfile: [
      [/(org\.opencontainers\.image\.url=).*(?= \\$)/m, quoted(project.repository)],
      [/(org\.opencontainers\.image\.source=).*(?= \\$)/m, quoted(project.repository)],
      [
        /(org\.opencontainers\.image\.documentation=).*(?= \\$)/m,
        quoted(documentUrl(project, 'docs/install.md')),
      ],
      [/(org\.opencontainers\.image\.vendor=).*(?= \\$)/m, quoted(project.author)],
    ],
    'helm/Chart.yaml': [
      [/(^home: ).*$/m, project.repository],
      [/(^sources:\n {2}- ).*$/m, project.repository],
      [/(^icon: ).*$/m, `${project.repository}/raw/main/assets/icon.svg`],
      [/(^maintainers:\n {2}- name: ).*$/m, project.author],
      [/(^maintainers:\n.*\n {4}email: ).*$/m, project.contact],
      [/(image: ).*(?=:\d\S*$)/m, project.image],
      [/(name: Documentation\n {6}url: ).*$/m, documentUrl(project, 'docs/install.md')],
    ],
    'helm/values.yaml': [
      [/(^image:\n(?: {2}#.*\n)* {2}registry: ).*$/m, registry],
      [/(^ {2}repository: ).*$/m, repository],
      [/(^ {2}runbookUrl: ).*$/m, runbook],
    ],
    'src/page/org.ts': [[/(documentationUrl =\n {2}').*(?=';$)/m, documentUrl(project, 'docs')]],
    'packaging/agent-platform-exporter.service': [[/(^Documentation=).*$/m, project.repository]],
    'packaging/linux/config.yaml': [schemaEdit(project, 'exporter')],
    'docs/hooks.md': [schemaEdit(project, 'hooks')],
    'docs/users.md': [schemaEdit(project, 'teams')],
    'docs/web-config.md': [schemaEdit(project, 'web-config')],
  };
}

/** The line of an example file that gives editors its schema. */
function schemaEdit(project: Project, name: string): Edit {
  return [/(^# yaml-language-server: \$schema=).*$/m, schemaUrl(project, name)];
}

/** The text with each edit applied; throws if the text to replace is missing, because an old URL would remain. */
export function edited(file: string, text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, [pattern, replacement]) => {
    if (!pattern.test(before)) throw new Error(`${file}: nothing matches ${pattern}`);
    return before.replace(pattern, (_, kept: string) => `${kept}${replacement}`);
  }, text);
}

/** Alert tests with the same runbook URL as the rules. */
export function withRunbook(text: string, project: Project): string {
  return text.replaceAll(/(?<=runbook_url: )\S+(?=#)/g, documentUrl(project, 'docs/runbook.md'));
}
