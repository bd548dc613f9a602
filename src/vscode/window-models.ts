import type { ModelRoute, Models } from '../agent/model.ts'
import { ModelError } from '../agent/model.ts'
import { originOf } from '../models/base-url.ts'
import { demoModel } from '../models/demo.ts'
import type { ApiKeys } from '../models/keys.ts'
import { endpointModel } from '../models/openai-compatible.ts'
import { messageOf, PlanModeError } from '../session/errors.ts'
import type { EndpointSettings } from './settings.ts'

export const DEMO_LABEL = 'Demo (offline, scripted)'

/** How the window names its model; `ready` is false when a setting or a key is missing, and `problem` says which. */
export interface ModelLabel {
  readonly label: string
  readonly ready: boolean
  readonly problem?: PlanModeError
}

/** Chooses the model by the settings, read anew for each step: the endpoint they name, else the built-in demo. */
export class WindowModels implements Models {
  readonly #settings: () => EndpointSettings | undefined
  readonly #keys: ApiKeys

  /** @param settings throws PlanModeError `BAD_MODEL` when they cannot be used. */
  constructor(settings: () => EndpointSettings | undefined, keys: ApiKeys) {
    this.#settings = settings
    this.#keys = keys
  }

  async choose(): Promise<ModelRoute> {
    try {
      const endpoint = this.#settings()
      if (endpoint === undefined) return demoModel()
      const apiKey = await this.#keys.forOrigin(originOf(endpoint.baseUrl))
      return endpointModel({ ...endpoint, ...(apiKey === undefined ? {} : { apiKey }) })
    } catch (error) {
      if (error instanceof ModelError) throw error
      const code = error instanceof PlanModeError ? error.code : 'NO_ADAPTER'
      throw new ModelError({ code, message: messageOf(error) }, { cause: error })
    }
  }

  describe(): ModelLabel {
    try {
      const endpoint = this.#settings()
      return { label: endpoint === undefined ? DEMO_LABEL : endpoint.id, ready: true }
    } catch (error) {
      const problem = error instanceof PlanModeError ? error : new PlanModeError('BAD_MODEL', messageOf(error))
      return { label: 'Choose a model', ready: false, problem }
    }
  }
}
