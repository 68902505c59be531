import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { digestOf, type Layer } from './layer.ts';

const MEDIA = 'application/vnd.oci.image';
/** OCI names of processor architectures by node's. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export interface ImageOptions {
  /** Full name, for example `ghcr.io/outrider/outrider:0.1.0`. */
  name: string;
  version: string;
  file: string;
  /** Default: the image of Outrider's own programs. */
  run?: { user: string; entrypoint: string[]; command: string[] };
}

const OWN_PROGRAMS = {
  user: '65532:65532',
  entrypoint: ['/usr/local/bin/node'],
  command: ['--max-semi-space-size=4', 'cmd/mcp-server/main.mjs'],
};

/** Writes an OCI image layout as one tar, as `ctr image import`, `skopeo` and `podman load` take it. @returns its digest */
export async function writeArchive(layer: Layer, options: ImageOptions): Promise<string> {
  const { name, file } = options;
  const blobs: Buffer[] = [];
  const store = (bytes: Buffer): { digest: string; size: number } => {
    blobs.push(bytes);
    return { digest: digestOf(bytes), size: bytes.length };
  };
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  const stored = store(layer.bytes);
  const config = store(json(configOf(layer, architecture, options)));
  const manifest = store(
    json({
      schemaVersion: 2,
      mediaType: `${MEDIA}.manifest.v1+json`,
      config: { mediaType: `${MEDIA}.config.v1+json`, ...config },
      layers: [{ mediaType: `${MEDIA}.layer.v1.tar+gzip`, ...stored }],
    }),
  );
  const index = {
    schemaVersion: 2,
    manifests: [
      {
        mediaType: `${MEDIA}.manifest.v1+json`,
        ...manifest,
        platform: { architecture, os: 'linux' },
        annotations: {
          'io.containerd.image.name': name,
          'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
        },
      },
    ],
  };
  const tar = pack();
  const put = (path: string, bytes: Buffer): void => {
    tar.entry({ name: path, mtime: new Date(0), mode: 0o644 }, bytes);
  };
  put('oci-layout', json({ imageLayoutVersion: '1.0.0' }));
  put('index.json', json(index));
  for (const bytes of blobs) put(`blobs/sha256/${digestOf(bytes).slice('sha256:'.length)}`, bytes);
  tar.finalize();
  await pipeline(tar, createWriteStream(file));
  return manifest.digest;
}

function configOf(layer: Layer, architecture: string, { version, run = OWN_PROGRAMS }: ImageOptions): object {
  return {
    architecture,
    os: 'linux',
    config: {
      User: run.user,
      WorkingDir: '/app',
      Entrypoint: run.entrypoint,
      Cmd: run.command,
      Env: ['PATH=/usr/local/bin', 'NODE_ENV=production', 'HOME=/tmp'],
      Labels: {
        'org.opencontainers.image.title': 'outrider',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
    rootfs: { type: 'layers', diff_ids: [layer.diffId] },
  };
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
