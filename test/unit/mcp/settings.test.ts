import { expect } from 'chai';
import { readSettings } from '../../../cmd/mcp-server/settings.ts';

const NEEDED = {
  DATABASE_URL: 'postgres://somewhere/db',
  SESSION_SECRET: 'sixteen characters',
  CURSOR_SECRET: 'sixteen characters',
};

describe('settings of the MCP server', () => {
  it('limits are those of the specification unless they are overridden', () => {
    const settings = readSettings({ ...NEEDED, MCP_RATE_LIMIT_LLM_PER_MIN: '25' });
    expect([
      settings.MCP_RATE_LIMIT_READ_PER_MIN,
      settings.MCP_RATE_LIMIT_WRITE_PER_MIN,
      settings.MCP_RATE_LIMIT_LLM_PER_MIN,
      settings.MCP_RATE_LIMIT_OVERALL_PER_MIN,
    ]).to.deep.equal([120, 30, 25, 240]);
    expect([settings.MCP_RATE_LIMIT_OWNER_MULTIPLE, settings.MCP_MAX_LIVE_KEYS]).to.deep.equal([5, 50]);
    expect([settings.MCP_SIGN_IN, settings.MCP_MAX_LIVE_GRANTS]).to.deep.equal(['on', 50]);
  });

  for (const wrong of ['0', '-5', '1.5', '1e3', '0x10', ' 30', 'many', '', '9999999999']) {
    it(`an override of ${JSON.stringify(wrong)} is refused by name`, () => {
      expect(() => readSettings({ ...NEEDED, MCP_RATE_LIMIT_WRITE_PER_MIN: wrong })).to.throw(
        'MCP_RATE_LIMIT_WRITE_PER_MIN: must be a whole number from 1 to 999999999',
      );
    });
  }

  it('a limit that does not exist is refused by name, with those that do', () => {
    expect(() => readSettings({ ...NEEDED, MCP_RATE_LIMIT_READS_PER_MIN: '5' })).to.throw(
      /MCP_RATE_LIMIT_READS_PER_MIN: unknown; known are MCP_RATE_LIMIT_READ_PER_MIN/,
    );
  });

  it('REDIS_URL is a Redis address; its password is not echoed', () => {
    expect(() => readSettings({ ...NEEDED, REDIS_URL: 'http://:hush@somewhere' }))
      .to.throw(/REDIS_URL/)
      .with.property('message')
      .not.contains('hush');
  });
});
