import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repositoryOf } from '../../src/collectors/repository.ts';

describe('a repository is identified by host and path only', () => {
  test.each([
    'https://github.com/acme/app',
    'https://github.com/acme/app.git',
    'https://github.com/acme/app/',
    'https://github.com/acme/app.git/',
    'https://github.com//acme//app',
    ' HTTPS://GitHub.com/acme/app ',
    'http://github.com:80/acme/app',
    'https://github.com:443/acme/app',
    'https://github.com:/acme/app',
    'ssh://git@github.com:7999/acme/app',
    'git://github.com:9418/acme/app',
    'https://GitHub.com/Acme/App',
    'git@github.com:ACME/app.GIT',
    'https://user:secret@github.com/acme/app.git',
    'https://secret@github.com/acme/app',
    'https://me@example.com:secret@github.com/acme/app',
    'https://github.com/acme/app?access_token=secret#token=secret',
    'https://github.com/acme/app?accessToken=a&private-token=b&X-Amz-Signature=c&user=d&pat=e&apikey=f',
    'https://github.com/acme/app?',
    'https://github.com/acme/app#',
    'ssh://git@github.com/acme/app.git',
    'ssh://git@github.com:22/acme/app.git',
    'git+ssh://git@github.com/acme/app',
    'git://github.com/acme/app.git',
    'git@github.com:acme/app.git',
    'git@github.com:/acme/app.git',
    'github.com:acme/app',
    'github.com/acme/app',
    'user:secret@github.com/acme/app',
    'https://github.com/acme/%61pp',
  ])('from %s', (address) => {
    expect(repositoryOf(address)).toBe('github.com/acme/app');
  });

  test.each([
    ['https://GitLab.example.com/Group/Sub/App', 'gitlab.example.com/Group/Sub/App'],
    ['https://dev.azure.com/acme/My%20Project/_git/app', 'dev.azure.com/acme/my project/_git/app'],
    ['https://git.sr.ht/~ann/app', 'git.sr.ht/~ann/app'],
    ['http://gitserver/team/app', 'gitserver/team/app'],
    ['ssh://git@[::1]:22/team/app', '[::1]/team/app'],
    ['git@host:team/app', 'host/team/app'],
    ['git@github.com:123/app', 'github.com/123/app'],
  ])('from %s: %s', (address, repository) => {
    expect(repositoryOf(address)).toBe(repository);
  });

  test.each([
    ['a port', 'https://h.tld/a/b', 'https://h.tld:8443/a/b', 'h.tld:8443/a/b'],
    ['a port of http', 'https://h.tld/a/b', 'http://h.tld:8080/a/b', 'h.tld:8080/a/b'],
    ['the other scheme’s port', 'http://h.tld/a/b', 'http://h.tld:443/a/b', 'h.tld:443/a/b'],
    ['the case of a path', 'https://h.tld/a/b', 'https://h.tld/A/b', 'h.tld/A/b'],
    ['a query', 'https://h.tld/a/b', 'https://h.tld/a/b?p=1', /^h\.tld\/a\/b~[0-9a-f]{8}$/],
    ['a value of a query', 'https://h.tld/a/b?p=1', 'https://h.tld/a/b?p=2', /^h\.tld\/a\/b~[0-9a-f]{8}$/],
    ['a name of a query', 'https://h.tld/a/b?p', 'https://h.tld/a/b?q', /^h\.tld\/a\/b~[0-9a-f]{8}$/],
    ['a fragment', 'https://h.tld/a/b', 'https://h.tld/a/b#x', /^h\.tld\/a\/b~[0-9a-f]{8}$/],
    ['a fragment for a query', 'https://h.tld/a/b?x', 'https://h.tld/a/b#x', /^h\.tld\/a\/b~[0-9a-f]{8}$/],
  ])('is distinguished by %s', (_, one, other, named) => {
    expect(repositoryOf(one)).toBeDefined();
    expect(repositoryOf(other)).not.toBe(repositoryOf(one));
    expect(repositoryOf(other)).toMatch(named);
  });

  test('has one digest whatever the order of the parameters and the credentials among them', () => {
    const one = repositoryOf('https://h.tld/a/b?p=1&q=2&token=x');
    expect(repositoryOf('https://ann:pw@H.tld/a/b.git?access_token=y&q=2&p=1#password=z')).toBe(one);
    expect(repositoryOf('https://h.tld/a/b?p=1&q=2')).toBe(one);
  });

  test.each([
    ['', 'nothing'],
    ['https://github.com', 'no path'],
    ['https://github.com/', 'no path'],
    ['https://github.com/.git', 'no path'],
    ['https:///acme/app', 'no host'],
    ['file:///home/ann/app', 'a path of a disk'],
    ['/home/ann/app', 'a path of a disk'],
    ['../app', 'a path of a disk'],
    ['src/app', 'a path of a disk'],
    ['C:\\work\\app', 'a path of a disk'],
    ['C:/work/app', 'a path of a disk'],
    ['javascript:alert(1)', 'another scheme'],
    ['https://github.com/acme/../app', 'dots'],
    ['https://github.com/acme/app%', 'an unfinished escape'],
    ['https://github.com/acme/a%2Fb', 'a hidden slash'],
    ['https://github.com/acme/app;token=secret', 'a parameter in the path'],
    ['https://user:pa/ss@github.com/acme/app', 'a slash in the password'],
    ['https://user:12/ss@github.com/acme/app', 'a slash in the password, like a port'],
    ['https://user:12?ss@github.com/acme/app', 'a question mark in the password'],
    ['https://user:12#ss@github.com/acme/app', 'a hash in the password'],
    ['https://user/x%40github.com/acme/app', 'a hidden at sign'],
    ['user:pa/ss@github.com/acme/app', 'a slash in a password without a scheme'],
    ['https://github.com/acme/app\nsecret', 'a line break'],
    ['https://git hub.com/acme/app', 'a space in the host'],
  ])('and nothing from %j: %s', (address) => {
    expect(repositoryOf(address)).toBeUndefined();
  });

  test('never contains a credential, whatever its characters', () => {
    const credential = fc.string({ unit: 'binary', maxLength: 8 }).map((text) => `S3CR${text}ET`);
    const scheme = fc.constantFrom('https://', 'ssh://', 'http://', 'git+https://', '');
    const rest = fc.constantFrom('/acme/app', ':acme/app', ':22/acme/app.git?x=1');
    fc.assert(
      fc.property(scheme, credential, credential, rest, (prefix, user, password, tail) => {
        for (const userinfo of [user, `${user}:${password}`]) {
          const repository = repositoryOf(`${prefix}${userinfo}@github.com${tail}`);
          expect(repository ?? 'github.com/').toMatch(/^github\.com(?::22)?\/(?!.*S3CR)/i);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('is the same with and without a space before .git', () => {
    expect(repositoryOf('https://host.tld/acme/app .git')).toBe('host.tld/acme/app');
  });

  test('is made of nothing before the last at sign, nor of a query, and stays the same when reduced again', () => {
    const piece = fc.oneof(
      fc.constantFrom('https://', '@', ':', '/', '?', '#', '.', 'git', 'host.tld', '%40', '\\', '.git', ' '),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const address = pieces.join('');
        const repository = repositoryOf(address);
        if (repository === undefined) return;
        expect(repository).not.toMatch(/[@?#\\=;]/);
        expect(repository).toMatch(/^[^/]+\/[^/]/);
        const afterAt = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
        expect(afterAt).toContain(repository.split('/')[0]);
        expect(repositoryOf(`https://${repository}`) ?? repository).toBe(repository);
      }),
      { numRuns: 1000 },
    );
  });
});
