import { expect } from 'chai';
import pg from 'pg';
import { beginPooled, OWN_SETTINGS, sessionOf, settingsIn } from '../../../pkg/postgres/session-settings.ts';

/** What pg sends of a configuration. */
function sentBy(url: string, own = {}): { options: string; database: string; host: string; ssl: unknown } {
  const client = new pg.Client(sessionOf(url, own));
  return (client as unknown as { connectionParameters: ReturnType<typeof sentBy> }).connectionParameters;
}

describe('settings that a session brings with it', () => {
  it('are startup options, one for each', () => {
    const { options, database } = sentBy('postgres://a:b@localhost:5432/outrider');
    expect(database).to.equal('outrider');
    for (const name of Object.keys(OWN_SETTINGS)) expect(options).to.contain(`-c ${name}=`);
    expect(options).to.contain('-c search_path=outrider,\\ app,\\ public ');
    // What a startup packet holds (PostgreSQL, MAX_STARTUP_PACKET_LENGTH).
    expect(options.length).to.be.below(5_000);
  });

  it('win over the options of the address where they change what a statement means, and over no others', () => {
    const { options } = sentBy(
      'postgres://a:b@localhost/outrider?options=-c%20work_mem%3D8MB%20-c%20row_security%3Doff%20-c%20jit%3Don',
    );
    expect(options).to.match(/-c jit=off .*-c work_mem=8MB -c row_security=off -c jit=on .*-c row_security=on/);
  });

  it('leave the other parameters of the address as they are', () => {
    const url = 'postgres://a:p%3Fw@localhost:1/outrider?sslmode=disable';
    expect(sessionOf(url).connectionString).to.equal(url);
    const both = sessionOf(`${url}&options=-c%20geqo%3Doff&keepalives=1`).connectionString;
    expect(both).to.equal(`${url}&keepalives=1`);
  });

  it('take what one kind of connection has otherwise', () => {
    expect(sentBy('postgres://a@localhost/b', { statement_timeout: '20s' }).options)
      .to.contain('-c statement_timeout=20s')
      .and.not.contain('-c statement_timeout=0');
  });

  it('are read back from the options, for a pooler that passes over them; the last of a name wins', () => {
    const { options } = sentBy('postgres://a@b/c?options=-c%20work_mem%3D8MB%20--geqo%3Doff%20-crow_security%3Doff');
    expect(settingsIn(options)).to.deep.equal({ ...OWN_SETTINGS, work_mem: '8MB', geqo: 'off' });
    expect(settingsIn(undefined)).to.deep.equal({});
  });

  it('behind a pooler are of the transaction, in the statement that begins it', () => {
    expect(beginPooled({ statement_timeout: '20s' }))
      .to.match(/^begin isolation level read committed, read write, not deferrable; select set_config\(/)
      .and.contain(`set_config('statement_timeout', '20s', true)`)
      .and.contain(`set_config('search_path', 'outrider, app, public', true)`);
  });
});
