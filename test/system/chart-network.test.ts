import { describe, expect, test } from 'vitest';
import { createChart } from './chart.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

describe.runIf(requireTool('helm'))('the network of the chart', () => {
  const chart = createChart(createPrograms());

  async function specOf(wanted: string, values: string, shape = 'one-organization'): Promise<unknown> {
    const found = (await chart.objects({ shape, values })).find(({ kind }) => kind === wanted);
    return found?.['spec'];
  }

  describe('with an Ingress of the page', () => {
    test('shows the page and its JSON form, and nothing else', async () => {
      const values = 'ingress: {enabled: true, hosts: [agents.example.com, agents.example.net]}';
      const backend = {
        service: { name: 'test-agent-platform-exporter', port: { name: 'http' } },
      };
      const http = {
        paths: ['/', '/status'].map((path) => ({ path, pathType: 'Exact', backend })),
      };
      expect(await specOf('Ingress', values)).toEqual({
        rules: [
          { host: 'agents.example.com', http },
          { host: 'agents.example.net', http },
        ],
      });
    });

    test('takes a class, annotations and a certificate', async () => {
      const objects = await chart.objects({ shape: 'everything' });
      const ingress = objects.find(({ kind }) => kind === 'Ingress');
      expect(ingress).toMatchObject({
        metadata: { annotations: { 'example.com/backend': 'HTTPS' } },
        spec: {
          ingressClassName: 'internal',
          tls: [{ secretName: 'agents-tls', hosts: ['agents.example.com'] }],
        },
      });
    });

    test('is refused without a host, and where a pod shows only some of the organizations', async () => {
      await expect(specOf('Ingress', 'ingress: {enabled: true}')).rejects.toThrow(
        'ingress.enabled: needs ingress.hosts',
      );
      await expect(
        specOf('Ingress', 'ingress: {enabled: true, hosts: [a.example.com]}', 'shards'),
      ).rejects.toThrow('ingress.enabled: the page of a pod shows its own organizations only');
    });

    test('warns of a page without a password', async () => {
      const ingress = 'demo: true\ningress: {enabled: true, hosts: [a.example.com]}\n';
      const warning = 'ingress.enabled without web.basicAuth';
      expect(await chart.notes({ values: ingress })).toContain(warning);
      const users = '{me: $2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi}';
      expect(
        await chart.notes({ values: `${ingress}web: {basicAuth: {enabled: true, users: ${users}}}` }),
      ).not.toContain(warning);
    });

    test('is admitted by the policy beside the scrapers', async () => {
      const peers = (name: string) => `[{podSelector: {matchLabels: {app: ${name}}}}]`;
      const values = `networkPolicy: {enabled: true, scrapers: ${peers('prometheus')}, readers: ${peers('ingress')}}
tests: {enabled: false}
ingress: {enabled: true, hosts: [a.example.com]}`;
      const ports = [{ port: 'http', protocol: 'TCP' }];
      const rule = (app: string) => ({ ports, from: [{ podSelector: { matchLabels: { app } } }] });
      expect(await specOf('NetworkPolicy', values)).toMatchObject({
        ingress: [rule('prometheus'), rule('ingress')],
      });
      const closed = values.replace('ingress: {enabled: true', 'ingress: {enabled: false');
      expect(await specOf('NetworkPolicy', closed)).toMatchObject({ ingress: [rule('prometheus')] });
    });
  });

  test('admits the senders of hook events beside the scrapers, if there is an intake', async () => {
    const peers = (name: string) => `[{podSelector: {matchLabels: {app: ${name}}}}]`;
    const values = `networkPolicy: {enabled: true, scrapers: ${peers('prometheus')}, hookSenders: ${peers('laptops')}}
tests: {enabled: false}
hooks: {enabled: true, token: {secretName: hooks}}`;
    const from = (app: string) => ({ from: [{ podSelector: { matchLabels: { app } } }] });
    const senders = { ingress: [from('prometheus'), from('laptops')] };
    expect(await specOf('NetworkPolicy', values)).toMatchObject(senders);
    const closed = values.replace('hooks: {enabled: true', 'hooks: {enabled: false');
    expect(await specOf('NetworkPolicy', closed)).toMatchObject({ ingress: [from('prometheus')] });
  });

  test('reaches the database of storage.url', async () => {
    const rule = (port: number, ...to: readonly unknown[]) => ({
      ports: [{ port, protocol: 'TCP' }],
      ...(to.length > 0 && { to }),
    });
    const egress = async (values: string, shape?: string) =>
      ((await specOf('NetworkPolicy', values, shape)) as { egress: readonly unknown[] }).egress.slice(1);
    const plain = 'networkPolicy: {enabled: true, databases: null, databasePort: 5432}';
    expect(await egress(plain, 'database')).toEqual([rule(443), rule(5432)]);
    expect(await egress('{}', 'database')).toEqual([
      rule(443),
      rule(6432, { ipBlock: { cidr: '10.1.0.0/16' } }),
    ]);
    expect(await egress('networkPolicy: {enabled: true}')).toEqual([rule(443)]);
  });
});
