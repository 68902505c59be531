/** What a medium is, by its first bytes: neither its address nor its server is believed. */
export interface MediaType {
  mime: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp' | 'video/mp4';
  kind: 'image' | 'video';
  /** Pixels; null where the beginning does not tell. */
  width: number | null;
  height: number | null;
}

/**
 * Bytes of all media of a post together: while it is published they lie in the executor's /tmp, which holds 64 MiB; what fills it evicts
 * the pod with everything that is under way there.
 */
export const MOST_POST_BYTES = 48 * 1024 * 1024;
/** Bytes of a picture and of a video that are taken at most. The network takes pictures of 10 MB, and larger videos than a post may have here. */
export const MOST_BYTES = { image: 10 * 1024 * 1024, video: MOST_POST_BYTES } as const;
/** Bytes of media that a workspace keeps at most. */
export const MOST_WORKSPACE_BYTES = 2 * 1024 * 1024 * 1024;
/** Pixels of a picture at most: the network takes no more, and a small file may unfold into gigabytes. */
export const MOST_PIXELS = 36_152_320;
/** Bytes of the beginning by which a medium is known. */
export const BEGINNING = 256 * 1024;

/** The type of a medium; null: it is none that the network takes. SVG is none: it is a program. */
export function mediaTypeOf(beginning: Uint8Array): MediaType | null {
  const view = new DataView(beginning.buffer, beginning.byteOffset, beginning.byteLength);
  if (beginning.length < 12) return null;
  if (view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) return png(view);
  if (view.getUint16(0) === 0xffd8 && view.getUint8(2) === 0xff) return jpeg(view);
  const six = ascii(beginning, 0, 6);
  if (six === 'GIF87a' || six === 'GIF89a') return image('image/gif', view.getUint16(6, true), view.getUint16(8, true));
  if (ascii(beginning, 0, 4) === 'RIFF' && ascii(beginning, 8, 12) === 'WEBP') return webp(beginning, view);
  if (ascii(beginning, 4, 8) === 'ftyp') return { mime: 'video/mp4', kind: 'video', width: null, height: null };
  return null;
}

/** Why a medium can not be used; null: it can. @param others bytes of the post's other media */
export function mediaProblem(type: MediaType | null, bytes: number, others = 0): string | null {
  if (type === null) return 'it is no JPEG, PNG, GIF, WebP or MP4';
  const most = MOST_BYTES[type.kind];
  if (bytes > most) return `it is larger than ${most / 1024 / 1024} MB`;
  if (bytes + others > MOST_POST_BYTES)
    return `with it the media of the post are larger than ${MOST_POST_BYTES / 1024 / 1024} MB together`;
  if (type.kind === 'image' && (type.width === null || type.height === null))
    return 'it does not tell its size in pixels';
  const pixels = (type.width ?? 0) * (type.height ?? 0);
  if (pixels > MOST_PIXELS) return `it has ${pixels} pixels; the network takes ${MOST_PIXELS}`;
  return null;
}

function image(mime: MediaType['mime'], width: number | null, height: number | null): MediaType {
  return { mime, kind: 'image', width, height };
}

function png(view: DataView): MediaType {
  return view.byteLength < 24
    ? image('image/png', null, null)
    : image('image/png', view.getUint32(16), view.getUint32(20));
}

/** Walks the segments to the frame that tells the size. */
function jpeg(view: DataView): MediaType {
  let at = 2;
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return image('image/jpeg', view.getUint16(at + 7), view.getUint16(at + 5));
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return image('image/jpeg', null, null);
}

function webp(bytes: Uint8Array, view: DataView): MediaType {
  if (bytes.length < 30) return image('image/webp', null, null);
  const form = ascii(bytes, 12, 16);
  if (form === 'VP8X') return image('image/webp', 1 + threeBytes(view, 24), 1 + threeBytes(view, 27));
  if (form === 'VP8 ') return image('image/webp', view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (form !== 'VP8L') return image('image/webp', null, null);
  const bits = view.getUint32(21, true);
  return image('image/webp', 1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff));
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
