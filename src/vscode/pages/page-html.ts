/** What a page may load. URIs are the webview's own; `cspSource` is the origin they come from. */
export interface PageParts {
  readonly title: string
  /** BCP 47 language of the window. */
  readonly lang: string
  /** Fresh for each document. */
  readonly nonce: string
  readonly cspSource: string
  readonly scriptUri: string
  readonly styleUris: readonly string[]
  /** `vscode-icon` of vscode-elements finds the icon font through the link with this id. */
  readonly codiconUri: string
}

/**
 * The document of a page: an empty body and one script. Nothing loads but the built page's own files; no inline
 * script or style runs, no image, frame or connection leaves the window. Pictures that the page was handed are blobs of
 * its own, never an address.
 */
export function pageHtml(parts: PageParts): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${parts.nonce}'`,
    `style-src ${parts.cspSource}`,
    `font-src ${parts.cspSource}`,
    `img-src blob:`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  const styles = parts.styleUris.map(uri => `<link rel="stylesheet" href="${attribute(uri)}">`).join('\n')
  return `<!DOCTYPE html>
<html lang="${attribute(parts.lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<title>${attribute(parts.title)}</title>
<link rel="stylesheet" id="vscode-codicon-stylesheet" href="${attribute(parts.codiconUri)}">
${styles}
</head>
<body>
<script nonce="${parts.nonce}" src="${attribute(parts.scriptUri)}"></script>
</body>
</html>
`
}

function attribute(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
