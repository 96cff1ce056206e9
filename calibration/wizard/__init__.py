# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard for a new board, without any user interface: terminal and window ask it alike."""

from calibration.wizard.report import Report
from calibration.wizard.services import WizardServices
from calibration.wizard.state import State
from calibration.wizard.wizard import Wizard

__all__ = ["Report", "State", "Wizard", "WizardServices"]
