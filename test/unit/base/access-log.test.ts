import { expect } from 'chai';
import { type Logger, pino } from 'pino';
import { AccessLog, shownPath } from '../../../pkg/base/http/access-log.ts';

const LINE = { requestId: 'r', method: 'GET', path: '/x', status: 200, ms: 1 };

describe('access log', () => {
  let now: number;
  let lines: { face?: string; requests?: number; msg: string }[];
  const logAt = (level: string): Logger => pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) });
  beforeEach(() => {
    now = 0;
    lines = [];
  });

  it('writes fifty lines a second, and says of how many requests it wrote none', () => {
    const access = new AccessLog(logAt('info'), 'main', () => now);
    for (let request = 0; request < 60; request++) access.write('info', () => LINE);
    expect(lines).to.have.length(50);
    now = 1_000;
    access.write('info', () => LINE);
    expect(lines.slice(50).map(({ msg, requests }) => [msg, requests])).to.deep.equal([
      ['requests without a line', 10],
      ['request', undefined],
    ]);
    expect(lines[0]).to.include({ face: 'main', ...LINE });
  });

  it('makes no line that nobody reads', () => {
    const access = new AccessLog(logAt('info'), 'main', () => now);
    access.write('debug', () => {
      throw new Error('made');
    });
    expect(lines).to.deep.equal([]);
  });

  it('shows known paths, and nothing of what may be a secret', () => {
    const known = ['/mcp', '/hooks/*'];
    for (const [path, shown] of [
      ['/mcp', '/mcp'],
      ['/hooks/secret', '/hooks/*'],
      ['/hooks/secret/more', '/hooks/*'],
      ['/hooks', '*'],
      ['/mcp/cs_0123', '*'],
      ['/cs_0123', '*'],
      ['/', '*'],
    ] as const)
      expect(shownPath(known, path), path).to.equal(shown);
  });
});
