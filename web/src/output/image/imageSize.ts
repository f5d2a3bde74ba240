/** Size is the size of a picture, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size of a picture from its first bytes, so its space is reserved before it is decoded. Other types than PNG, GIF
 * and JPEG, and broken files, give undefined.
 */
export function sizeOfImage(type: string, base64: string): Size | undefined {
  const bytes = firstBytes(base64);
  switch (type) {
    case "image/png":
      return bytes.length >= 24 ? sized(be(bytes, 16) * 65536 + be(bytes, 18), be(bytes, 20) * 65536 + be(bytes, 22)) : undefined;
    case "image/gif":
      return bytes.length >= 10 ? sized(le(bytes, 6), le(bytes, 8)) : undefined;
    case "image/jpeg":
      return sizeOfJPEG(bytes);
    default:
      return undefined;
  }
}

/** Finds the frame header among the segments of a JPEG file. */
function sizeOfJPEG(bytes: Uint8Array): Size | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return sized(be(bytes, at + 7), be(bytes, at + 5));
    at += 2 + be(bytes, at + 2);
  }
  return undefined;
}

function sized(width: number, height: number): Size | undefined {
  return width > 0 && height > 0 && width < 1e6 && height < 1e6 ? { width, height } : undefined;
}

function firstBytes(base64: string): Uint8Array {
  const text = base64.slice(0, 90_000).replace(/\s/g, "");
  try {
    return Uint8Array.from(atob(text.slice(0, text.length - (text.length % 4))), (c) => c.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function be(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
}

function le(bytes: Uint8Array, at: number): number {
  return (bytes[at + 1] ?? 0) * 256 + (bytes[at] ?? 0);
}
