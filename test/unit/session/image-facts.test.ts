import assert from 'node:assert/strict'
import fc from 'fast-check'
import { imageFacts } from '../../../src/session/image-facts.ts'
import { gif, jpeg, png, pngOfSize, webp } from '../../support/pictures.ts'

const pictures: readonly [string, Uint8Array, string][] = [
  ['PNG', png(320, 200), 'image/png'],
  ['GIF', gif(320, 200), 'image/gif'],
  ['progressive JPEG', jpeg(320, 200), 'image/jpeg'],
  ['arithmetic-coded JPEG', jpeg(320, 200, 0xc9), 'image/jpeg'],
  ['lossy WebP', webp('VP8 ', 320, 200), 'image/webp'],
  ['lossless WebP', webp('VP8L', 320, 200), 'image/webp'],
  ['extended WebP', webp('VP8X', 320, 200), 'image/webp'],
]

describe('The facts of a picture', () => {
  for (const [name, bytes, mediaType] of pictures) {
    it(`are read from the bytes of a ${name}, wherever they lie`, () => {
      assert.deepEqual(imageFacts(bytes), { mediaType, width: 320, height: 200 })
      const within = Buffer.concat([Buffer.alloc(7), bytes, Buffer.alloc(3)]).subarray(7, 7 + bytes.length)
      assert.deepEqual(imageFacts(within), { mediaType, width: 320, height: 200 })
    })

    it(`are unknown for a ${name} that is cut before its size`, () => {
      for (let length = 0; length < 8; length++) assert.equal(imageFacts(bytes.slice(0, length)), undefined)
    })
  }

  for (const [name, bytes] of [
    ['nothing', new Uint8Array()],
    ['text', Buffer.from('image.png')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['a PDF', Buffer.from('%PDF-1.7')],
    ['a picture without a width', pngOfSize(0, 200)],
    ['a JPEG whose picture begins before its size', Uint8Array.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0])],
    ['a sound in the container of WebP', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
  ] as const) {
    it(`are unknown for ${name}`, () => assert.equal(imageFacts(bytes), undefined))
  }

  it('are told or not told for any bytes, without a failure and without a loop', () => {
    const heads = pictures.map(([, bytes]) => bytes)
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array({ maxLength: 60 }), (head, length, tail) => {
        const facts = imageFacts(Buffer.concat([head.slice(0, length), tail]))
        if (facts !== undefined) assert.ok(facts.width > 0 && facts.height > 0)
      }),
    )
  })
})
