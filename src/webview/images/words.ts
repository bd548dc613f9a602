// Every sentence about images.
export const words = {
  attach: 'Attach images',
  images: 'Images to send',
  image: (name: string | undefined, width: number, height: number): string =>
    `Image${name === undefined ? '' : ` ${name}`}, ${width} x ${height}`,
  unnamedImage: 'Image',
  imageGone: (image: string): string => `${image}: not stored any more`,
  openImage: (image: string): string => `Open: ${image}`,
  removeImage: (image: string): string => `Remove: ${image}`,
  addingImage: (name: string): string => `Adding ${name === '' ? 'an image' : name}`,
  imageAdded: (image: string): string => `Added: ${image}`,
  sendsWhenStored: 'Goes out as soon as the image is stored.',
  imageTooLarge: (name: string): string => `"${name}" is larger than 5 MB. Make it smaller first.`,
  tooManyImages: (most: number): string => `At most ${most} images go along.`,
} as const
