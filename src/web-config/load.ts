import { type Files, unreadable } from '../config/files.ts';
import { entriesOf, originOf, type YamlNode } from '../config/tree.ts';
import { ConfigError } from '../runtime/errors.ts';
import { redactHashesAndKeys } from '../runtime/redact.ts';
import { offersHttp2, readHeaders, readRateLimit } from './http-section.ts';
import type { WebSettings } from './settings.ts';
import { readTls } from './tls-section.ts';
import { readUsers } from './users-section.ts';

const sections = ['tls_server_config', 'http_server_config', 'basic_auth_users', 'rate_limit'];

/** Reads a web configuration file and the files that it names; rejects with a `ConfigError`. */
export async function loadWebSettings(file: string, files: Files): Promise<WebSettings> {
  try {
    return await read(file, files);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(redactHashesAndKeys(error.message), error.hint);
  }
}

async function read(file: string, files: Files): Promise<WebSettings> {
  const root = await rootOf(file, files);
  const entries = entriesOf(root, sections);
  function section<Value>(name: string, read: (node: YamlNode) => Value): Value | undefined {
    const node = entries.get(name);
    return node === undefined ? undefined : read(node);
  }
  const warnings: string[] = [];
  function warn(node: YamlNode, warning: string): void {
    warnings.push(`${originOf(node)}: ${warning}`);
  }
  return {
    headers: section('http_server_config', readHeaders) ?? new Map(),
    users: section('basic_auth_users', (node) => readUsers(node, warn)) ?? new Map(),
    rateLimit: section('rate_limit', (node) => readRateLimit(node, warn)),
    tls: await section('tls_server_config', (node) =>
      readTls(node, files, { offersHttp2: section('http_server_config', offersHttp2) ?? true, warn }),
    ),
    warnings,
  };
}

async function rootOf(file: string, files: Files): Promise<YamlNode> {
  let text: string;
  try {
    text = await files.read(file);
  } catch (error) {
    throw new ConfigError(`--web.config.file: ${file} ${unreadable(error)}`);
  }
  const { parseYamlTree } = await import('../config/yaml-tree.ts');
  const tree = parseYamlTree(text, file);
  return { file, path: '', line: tree.line, tree };
}
