# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard for a new board, without any user interface: terminal and window ask it alike."""

from calibration.wizard.report import StageReport
from calibration.wizard.services import WizardServices
from calibration.wizard.state import WizardState
from calibration.wizard.wizard import Wizard

__all__ = ["StageReport", "Wizard", "WizardServices", "WizardState"]
