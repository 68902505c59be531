import { generate } from 'selfsigned';

/** Key and certificate (PEM) of the embedded API server; the certificate is its own authority. */
export interface ServerCertificate {
  key: string;
  cert: string;
}

const TEN_YEARS_MS = 3_650 * 86_400_000;

/**
 * A self-signed certificate for the loopback. kubectl sends bearer tokens over TLS only, hence TLS on loopback too.
 * @param now epoch ms, real time
 */
export async function makeServerCertificate(now: number): Promise<ServerCertificate> {
  const made = await generate([{ name: 'commonName', value: 'outrider-development-api' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 86_400_000),
    notAfterDate: new Date(now + TEN_YEARS_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}
