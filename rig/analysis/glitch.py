from rig.capture.edges import GlitchFilter

__all__ = ["GlitchFilter"]
