import { expect } from 'chai';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { LeaseEndpoint } from '../../../pkg/controllers/leases/lease-endpoint.ts';
import { podIdentity } from '../../../pkg/controllers/leases/pod-identity.ts';
import { podTokenVerifier } from '../../../pkg/controllers/leases/pod-token.ts';
import type { Pod } from '../../../pkg/controllers/workspace/pod.ts';
import { HttpLeaseSource } from '../../../pkg/engine/lease/http-lease-source.ts';
import type { KubeClient } from '../../../pkg/kube/client.ts';
import type { ClaimRequest, LeaseDesk, PodIdentity } from '../../../pkg/store/leases/lease-desk.ts';
import { withTempFile } from '../../tools/temp-file.ts';

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'ex-a',
    namespace: 'outrider',
    uid: 'uid-1',
    labels: {
      'app.kubernetes.io/component': 'executor',
      'app.kubernetes.io/managed-by': 'outrider-operator',
      'outrider.dev/role': 'workspace',
    },
    annotations: { 'outrider.dev/workspace': 'team-a/acme' },
  },
};

describe('claim endpoint', () => {
  let privateKey: CryptoKey;
  let pods: Pod[];
  let keysAway = false;
  let asked: { request: ClaimRequest; identity: PodIdentity }[];
  let endpoint: LeaseEndpoint;
  let url: string;

  before(async () => {
    const pair = await generateKeyPair('RS256');
    privateKey = pair.privateKey;
    const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256' }] };
    const client = {
      raw: async ({ accept }: { accept?: string }) => {
        if (accept !== 'application/jwk-set+json') throw new Error('406 Not Acceptable');
        if (keysAway) throw new Error('the API server is away');
        return keys;
      },
      find: async (_resource: unknown, ref: { name: string }) => pods.find((pod) => pod.metadata.name === ref.name),
    } as unknown as KubeClient;
    const desk = {
      answer: async (request: ClaimRequest, identity: PodIdentity) => {
        asked.push({ request, identity });
        return { type: 'claimed', token: 'claim-token', epoch: 4 };
      },
    } as unknown as LeaseDesk;
    endpoint = new LeaseEndpoint({
      ids: systemIds,
      host: '127.0.0.1',
      port: 0,
      desk,
      verify: podTokenVerifier(client),
      identify: (pod) => podIdentity({ client, homeNamespace: 'outrider', serviceAccount: 'outrider-executor' }, pod),
      log: createLogger('test', 'silent'),
    });
    url = `http://127.0.0.1:${await endpoint.listen()}`;
  });
  beforeEach(() => {
    pods = [POD];
    asked = [];
  });
  after(() => endpoint.close());

  interface Lies {
    audience?: string;
    pod?: string;
    uid?: string;
    namespace?: string;
    serviceAccount?: string;
    expires?: string;
    key?: CryptoKey;
  }
  const token = ({ audience, pod, uid, namespace, serviceAccount, expires, key }: Lies = {}): Promise<string> =>
    new SignJWT({
      'kubernetes.io': {
        namespace: namespace ?? 'outrider',
        pod: { name: pod ?? 'ex-a', uid: uid ?? 'uid-1' },
        serviceaccount: { name: serviceAccount ?? 'outrider-executor', uid: 's' },
      },
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer('https://kubernetes.default.svc')
      .setSubject('system:serviceaccount:outrider:outrider-executor')
      .setAudience(audience ?? 'outrider-executor')
      .setExpirationTime(expires ?? '1h')
      .sign(key ?? privateKey);

  const claimWith = async (bearer: string) =>
    withTempFile(`${bearer}\n`, (tokenFile) => new HttpLeaseSource({ url, tokenFile }).claim('workspace', 'x'));
  const statusWith = async (bearer: string, body = '{}'): Promise<number> => {
    const response = await fetch(`${url}/claims`, { method: 'POST', headers: { authorization: bearer }, body });
    await response.text();
    return response.status;
  };

  it('says that it can not judge while the keys can not be read', async () => {
    keysAway = true;
    const status = await statusWith(`Bearer ${await token()}`);
    keysAway = false;
    expect(status).to.equal(503);
  });

  it('hands an executor its claim in exchange for its pod-bound token', async () => {
    expect(await claimWith(await token())).to.deep.equal({ token: 'claim-token', epoch: 4 });
    expect(asked).to.deep.equal([
      {
        request: { type: 'claim', kind: 'workspace', key: 'x' },
        identity: { podUid: 'uid-1', role: 'workspace', workspaceId: 'team-a.acme' },
      },
    ]);
  });

  it('knows a pod of the pool by what the operator wrote on it, and by its name', async () => {
    const labels = { ...POD.metadata.labels, 'outrider.dev/role': 'pool' };
    pods = [{ ...POD, metadata: { ...POD.metadata, name: 'ex-pool-1', labels, annotations: {} } }];
    const bearer = await token({ pod: 'ex-pool-1' });
    expect(await withTempFile(`${bearer}\n`, (tokenFile) => new HttpLeaseSource({ url, tokenFile }).seats())).to.equal(
      null,
    );
    expect(asked).to.deep.equal([
      { request: { type: 'seats' }, identity: { podUid: 'uid-1', role: 'pool', member: 'ex-pool-1' } },
    ]);
    pods = [{ ...POD, metadata: { ...POD.metadata, labels } }];
    expect(await statusWith(`Bearer ${await token()}`, '{"type":"seats"}'), 'a name that is none of the pool').to.equal(
      403,
    );
  });

  it('takes no token of another audience, key, or time, and none at all', async () => {
    const { privateKey: foreign } = await generateKeyPair('RS256');
    expect(await statusWith(`Bearer ${await token({ audience: 'https://kubernetes.default.svc' })}`)).to.equal(401);
    expect(await statusWith(`Bearer ${await token({ key: foreign })}`)).to.equal(401);
    expect(await statusWith(`Bearer ${await token({ expires: '-1m' })}`)).to.equal(401);
    expect(await statusWith('Bearer nonsense')).to.equal(401);
    expect(await statusWith('')).to.equal(401);
    expect(asked).to.deep.equal([]);
  });

  it('knows only pods that the operator made in the home namespace, by their uid', async () => {
    expect(await statusWith(`Bearer ${await token({ uid: 'uid-0' })}`), 'an earlier pod of the name').to.equal(403);
    expect(await statusWith(`Bearer ${await token({ namespace: 'tenant' })}`), 'a tenant pod').to.equal(403);
    expect(await statusWith(`Bearer ${await token({ serviceAccount: 'default' })}`), 'another account').to.equal(403);
    pods = [{ ...POD, metadata: { ...POD.metadata, labels: {} } }];
    expect(await statusWith(`Bearer ${await token()}`), 'not made by the operator').to.equal(403);
    pods = [{ ...POD, metadata: { ...POD.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }];
    expect(await statusWith(`Bearer ${await token()}`), 'on its way out').to.equal(403);
    pods = [];
    expect(await statusWith(`Bearer ${await token()}`), 'gone').to.equal(403);
    expect(asked).to.deep.equal([]);
  });

  it('refuses what is no claim request', async () => {
    const bearer = `Bearer ${await token()}`;
    expect(await statusWith(bearer, 'no json')).to.equal(400);
    expect(await statusWith(bearer, 'x'.repeat(10_000))).to.equal(413);
    expect(await statusWith(bearer, '{"type":"claim","kind":"workspace","key":"a","more":1}')).to.equal(400);
    expect((await fetch(url)).status).to.equal(404);
  });
});
